// Ten components with a planted race each, and what each looks like without it (`sound`). The page names one in its
// query: `?stale-filter` or `?stale-filter&sound`.

import { QueryClient, QueryClientProvider, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const [name, sound] = [...new URLSearchParams(location.search).keys()];
const root = document.querySelector("main");

async function api(path, options) {
  const response = await fetch(`${window.API}${path}`, { ...options, headers: { Authorization: "Bearer mockpets", "Content-Type": "application/json" } });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.message), { status: response.status });
  return body;
}
const list = (status, options) => api(`/pets${status ? `?status=${status}` : ""}`, options);
const create = (pet) => api("/pets", { method: "POST", body: JSON.stringify({ categoryId: 1, ...pet }) });
const html = (text) => {
  root.innerHTML = text;
  return (selector) => root.querySelector(selector);
};
const Names = ({ pets = [] }) => <ul>{pets.map((pet) => <li key={pet.id ?? pet.name}>{pet.name}</li>)}</ul>;

function StaleFilter() {
  const [status, setStatus] = useState("");
  const [shown, setShown] = useState("");
  useEffect(() => {
    if (!status) return;
    const abort = new AbortController();
    list(status.toLowerCase(), sound && { signal: abort.signal }).then(() => setShown(status), () => {});
    return () => abort.abort();
  }, [status]);
  return <>{["Sold", "Available"].map((each) => <button key={each} onClick={() => setStatus(each)}>{each}</button>)}<h2>{shown}</h2></>;
}

function debouncedFilter() {
  const find = html("<input><p></p><h2></h2>");
  let [timer, last] = [0, 0];
  find("input").oninput = ({ target: { value } }) => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const number = ++last;
      find("p").textContent = `searching ${value}`;
      const [pet] = await list(value);
      if (!sound || number === last) find("h2").textContent = pet.status;
    }, 150);
  };
}

function doubleSubmit() {
  const find = html("<button>Add</button><p></p>");
  let isBusy = false;
  find("button").onclick = async () => {
    if (sound && isBusy) return;
    isBusy = true;
    find("p").textContent = (await create({ name: "Miso" })).name;
    isBusy = false;
  };
}

function ListBeforeCreate() {
  const [pets, setPets] = useState();
  const add = async () => {
    const created = create({ name: "Miso" });
    if (sound) await created;
    setPets(await list());
  };
  return <><button onClick={add}>Add</button><Names pets={pets} /></>;
}

function StaleList() {
  const [pets, setPets] = useState([]);
  const reload = async () => setPets(await list());
  const add = async () => {
    const pet = await create({ name: "Miso" });
    setPets((before) => [...before.filter(({ id }) => id !== pet.id), pet]);
  };
  return <><button onClick={reload}>Reload</button><button onClick={add}>Add</button><Names pets={pets} /></>;
}

function QueriedList() {
  const client = useQueryClient();
  const { data, refetch } = useQuery({ queryKey: ["pets"], queryFn: ({ signal }) => list("", { signal }), initialData: [], enabled: false });
  const { mutate } = useMutation({
    mutationFn: () => create({ name: "Miso" }),
    onSuccess: async () => {
      await client.cancelQueries({ queryKey: ["pets"] });
      await refetch();
    },
  });
  return <><button onClick={() => refetch()}>Reload</button><button onClick={() => mutate()}>Add</button><Names pets={data} /></>;
}

function Details({ id, show }) {
  useEffect(() => {
    let isShown = true;
    api(`/pets/${id}`).then((pet) => (isShown || !sound) && show(pet.name));
    return () => { isShown = false; };
  }, [id]);
  return <p>Pet</p>;
}

function UpdateAfterUnmount() {
  const [id, setId] = useState();
  const [title, setTitle] = useState("");
  const close = async () => {
    setId(undefined);
    setTitle(`${(await list()).length} pets`);
  };
  return <>{id && <Details id={id} show={setTitle} />}<button onClick={() => setId(1)}>Open</button><button onClick={close}>Close</button><h2>{title}</h2></>;
}

function retryAfterSuccess() {
  const find = html("<button>Add</button><p></p>");
  const add = async () => {
    try {
      await create({ name: "Miso" });
    } catch {
      if (sound && (await list()).some((pet) => pet.name === "Miso")) return;
      await create({ name: "Miso" });
    }
  };
  find("button").onclick = () => add().then(() => { find("p").textContent = "saved"; });
}

function OptimisticUpdate() {
  const [pets, setPets] = useState([]);
  const add = async (pet) => {
    const before = pets;
    setPets((now) => [...now, pet]);
    try {
      await create(pet);
      if (!sound) setPets((now) => (now.includes(pet) ? now : [...now, pet]));
    } catch {
      setPets((now) => (sound ? now.filter((one) => one !== pet) : before));
    }
  };
  return <><button onClick={() => add({ name: "Bad", categoryId: "none" })}>Bad</button><button onClick={() => add({ name: "Good" })}>Good</button><Names pets={pets} /></>;
}

function pagesOutOfOrder() {
  const find = html("<button>More</button><ol></ol>");
  const [pages, statuses] = [[], ["available", "pending", "sold"]];
  let next = 0;
  find("button").onclick = async () => {
    const index = next++;
    const [pet] = await list(statuses[index]);
    if (sound) pages[index] = pet.status;
    else pages.push(pet.status);
    find("ol").innerHTML = pages.map((status) => `<li>${status}</li>`).join("");
  };
}

function expiringLogin() {
  const find = html("<button id=list>List</button><button id=add>Add</button><h2>Shop</h2>");
  let isLoggedIn = true;
  const show = (call) => async () => {
    try {
      const text = await call();
      if (isLoggedIn || !sound) find("h2").textContent = text;
    } catch {
      isLoggedIn = false;
      find("h2").textContent = "Log in";
    }
  };
  find("#list").onclick = show(async () => `${(await list()).length} pets`);
  find("#add").onclick = show(async () => (await create({ name: "Miso" })).name);
}

const components = {
  "stale-filter": StaleFilter,
  "list-before-create": ListBeforeCreate,
  "stale-list": sound ? QueriedList : StaleList,
  "update-after-unmount": UpdateAfterUnmount,
  "optimistic-update": OptimisticUpdate,
};
const plain = {
  "debounced-filter": debouncedFilter,
  "double-submit": doubleSubmit,
  "retry-after-success": retryAfterSuccess,
  "pages-out-of-order": pagesOutOfOrder,
  "expiring-login": expiringLogin,
};
const Component = components[name];
if (Component) createRoot(root).render(<QueryClientProvider client={new QueryClient()}><Component /></QueryClientProvider>);
else plain[name]?.();
