// An app whose server renders a page, proxies the API as dev servers do, and opens links. The page also
// loads an image and a script's data from a third party.

import { createServer, request } from "node:http";
import { openLink, withSession } from "../../kit/ssr.js";

const [mock, third] = process.argv.slice(2);

const server = createServer(async (incoming, response) => {
  const link = openLink(incoming.url);
  if (link) return response.writeHead(307, link).end();
  if (incoming.url.startsWith("/v1/")) {
    const { method, headers } = incoming;
    incoming.pipe(request(mock + incoming.url, { method, headers }, (received) => {
      received.pipe(response.writeHead(received.statusCode, received.headers));
    }));
    return;
  }
  const pets = await fetch(`${mock}/v1/pets?limit=100`, { headers: withSession(incoming, { Authorization: "Bearer mockpets" }) });
  const names = ["Mockpets-Session", "Mockpets-Scenario"].map((name) => pets.headers.get(name));
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(`<!doctype html><link rel="icon" href="data:,"><h1>${[pets.status, ...names].join(" ")}</h1><p>${(await pets.text()).replaceAll("<", "&lt;")}</p>
    <form method="post" action="/v1/pets"></form><img src="${third}/pixel.png">
    <script>fetch("${third}/track", { mode: "no-cors", credentials: "include" })</script>`);
});
server.listen(0, "localhost", () => console.log(server.address().port));
