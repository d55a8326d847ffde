"""Clients generated from our OpenAPI document compile under `strict`, and their retries work."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.contract.pet_store import PET_STORE
from tests.programs import need, need_packages
from tests.test_generated_types import run

pytestmark = pytest.mark.node

RETRY = """
/** Send a request again while the response is 503, after the time that the server asks for. */
export async function fetchAgain(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  for (;;) {
    const response = await fetch(request.clone());
    const seconds = response.headers.get("Retry-After");
    if (response.status !== 503 || seconds === null) return response;
    console.log(`waiting ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
  }
}
"""

OPENAPI_FETCH = """
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi";
import { fetchAgain } from "./retry";

type Pet = components["schemas"]["Pet"];

export async function main(baseUrl: string, key: string): Promise<unknown[]> {
  const headers = { Authorization: `Bearer ${key}` };
  const client = createClient<paths>({ baseUrl, headers, fetch: fetchAgain });
  const body = { name: "Miso", categoryId: 2, status: "sold" } as const;
  const added = await client.POST("/pets", { body });
  if (!added.data) throw new Error(`${added.error.code}: ${added.error.message}`);
  const pet: Pet = added.data;
  const { data } = await client.GET("/pets", { params: { query: { status: "sold", limit: 1 } } });
  const params = { path: { petId: 404 } };
  const { error, response } = await client.GET("/pets/{petId}", { params });
  return [pet.name, data?.map((each) => each.status), response.status, error?.code];
}
"""

HEY_API = """
import { createPet, getPet, listPets, type Pet } from "./hey-api";
import { client } from "./hey-api/client.gen";
import { fetchAgain } from "./retry";

export async function main(baseUrl: string, key: string): Promise<unknown[]> {
  client.setConfig({ baseUrl, auth: key, fetch: fetchAgain });
  const body = { name: "Miso", categoryId: 2, status: "sold" } as const;
  const added = await createPet({ body, throwOnError: true });
  const pet: Pet = added.data;
  const { data } = await listPets({ query: { status: "sold", limit: 1 } });
  const { error, response } = await getPet({ path: { petId: 404 } });
  return [pet.name, data?.map((each) => each.status), response?.status, error?.code];
}
"""

ORVAL_FETCH = """
import { fetchAgain } from "./retry";

export const settings = { baseUrl: "", key: "" };

/** The function that orval's clients call. */
export async function petFetch<T>(path: string, options: RequestInit): Promise<T> {
  const headers = new Headers(options.headers);
  headers.set("Authorization", `Bearer ${settings.key}`);
  const response = await fetchAgain(settings.baseUrl + path, { ...options, headers });
  return { status: response.status, data: await response.json(), headers: response.headers } as T;
}
"""

ORVAL = """
import { createPet, getPet, listPets, PetStatus } from "./orval";
import { settings } from "./orval-fetch";

export async function main(baseUrl: string, key: string): Promise<unknown[]> {
  Object.assign(settings, { baseUrl, key });
  const added = await createPet({ name: "Miso", categoryId: 2, status: PetStatus.sold });
  if (added.status === 503) throw new Error(`${added.data.code}: ${added.data.message}`);
  if (added.status !== 201) throw new Error(`${added.status}`);
  const page = await listPets({ status: "sold", limit: 1 });
  const statuses = page.status === 200 ? page.data.map((each) => each.status) : page.data.code;
  const missing = await getPet(404);
  const code = missing.status === 404 ? missing.data.code : undefined;
  return [added.data.name, statuses, missing.status, code];
}
"""


ORVAL_CONFIG = """
const override = { mutator: { path: "orval-fetch.ts", name: "petFetch" } };
const output = { httpClient: "fetch", override };
const simple = { ...output, client: "fetch", target: "orval/index.ts" };
export default {
  fetch: { input: "openapi.json", output: simple },
};
"""

# Each client has a session of its own, and so two responses with 503.
MAIN = """
import * as openapiFetch from "./use-openapi-fetch";
import * as heyApi from "./use-hey-api";
import * as orval from "./use-orval";

const root = process.argv[2] ?? "";
const run = (name: string, main: typeof orval.main) => main(`${root}/~${name}/v1`, "mockpets");
const results = await Promise.all([
  run("openapi-fetch", openapiFetch.main), run("hey-api", heyApi.main), run("orval", orval.main),
]);
console.log(JSON.stringify(results));
"""

FILES = {
    "retry.ts": RETRY,
    "use-openapi-fetch.ts": OPENAPI_FETCH,
    "use-hey-api.ts": HEY_API,
    "orval-fetch.ts": ORVAL_FETCH,
    "use-orval.ts": ORVAL,
    "main.ts": MAIN,
    "orval.config.ts": ORVAL_CONFIG,
    "package.json": '{"type": "module"}',
    "process.d.ts": "declare const process: { argv: string[] };",
}

OPTIONS = {
    "strict": True,
    "noEmit": True,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": [],
}
"""What Vite's template sets, with all libraries checked too."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A TypeScript project with the clients that the generators make of our document."""
    folder = tmp_path_factory.mktemp("clients")
    (folder / "node_modules").symlink_to(need_packages())
    (folder / "openapi.json").write_text(json.dumps(PET_STORE.document))
    (folder / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": OPTIONS, "exclude": ["orval.config.ts"]})
    )
    for name, text in FILES.items():
        (folder / name).write_text(text)
    generators = [
        (need("openapi-typescript"), "openapi.json", "--output", "openapi.d.ts"),
        (need("openapi-ts"), "--input", "openapi.json", "--output", "hey-api", "--no-log-file"),
        (need("orval"),),
    ]
    with ThreadPoolExecutor() as pool:
        for generator in pool.map(lambda command: run(folder, *command), generators):
            assert generator.returncode == 0, generator.stdout + generator.stderr
    return folder


def test_generated_clients_compile_under_strict(project: Path) -> None:
    compiled = run(project, need("tsc"), "--project", ".", "--pretty", "false")

    assert (compiled.returncode, compiled.stdout) == (0, "")


@pytest.mark.long
def test_generated_clients_send_requests_again_after_503(project: Path) -> None:
    built = run(project, need("vite"), "build", "--ssr", "main.ts", "--logLevel", "warn")
    assert built.returncode == 0, built.stderr

    with MockpetsServer(Settings(port=0, scenario=("retry",))) as server:
        ran = run(project, need("node"), "dist/main.js", server.url)
        logs = {
            name: ControlClient(server.url, session=name).requests()
            for name in ("openapi-fetch", "hey-api", "orval")
        }

    assert ran.returncode == 0, ran.stderr
    *waits, results = ran.stdout.splitlines()
    assert waits == ["waiting 1 s"] * 6
    full = ["Miso", ["sold"], 404, "pet_not_found"]
    assert json.loads(results) == [full, full, full]
    for name, log in logs.items():
        assert [request["status"] for request in log] == [503, 503, 201, 200, 404], name
