// An Express app that renders a page, proxies the API as dev servers do, and opens links. The page also loads an
// image and a script's data from a third party; with /strict it allows only itself, and has the toolbar.

import { request } from "node:http";
import express from "express";
import { openLink, withSession } from "../../kit/ssr.js";

const [mock, third] = process.argv.slice(2);
const app = express();

app.use((incoming, response, next) => {
  const link = openLink(incoming.url);
  if (link) response.writeHead(307, link).end();
  else next();
});

app.use(["/v1", "/__mockpets"], (incoming, response) => {
  const { method, headers, originalUrl } = incoming;
  incoming.pipe(request(mock + originalUrl, { method, headers }, (received) => {
    received.pipe(response.writeHead(received.statusCode, received.headers));
  }));
});

app.get("/strict", (incoming, response) => {
  response.set("Content-Security-Policy", "default-src 'self'");
  response.send('<!doctype html><title>Strict</title><script type="module" src="/__mockpets/toolbar.js"></script>');
});

app.use(async (incoming, response) => {
  const pets = await fetch(`${mock}/v1/pets?limit=100`, { headers: withSession(incoming, { Authorization: "Bearer mockpets" }) });
  const names = ["Mockpets-Session", "Mockpets-Scenario"].map((name) => pets.headers.get(name));
  response.send(`<!doctype html><link rel="icon" href="data:,"><h1>${[pets.status, ...names].join(" ")}</h1><p>${(await pets.text()).replaceAll("<", "&lt;")}</p>
    <form method="post" action="/v1/pets"></form><img src="${third}/pixel.png">
    <script>fetch("${third}/track", { mode: "no-cors", credentials: "include" })</script>`);
});

const server = app.listen(0, "localhost", () => console.log(server.address().port));
