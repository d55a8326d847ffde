// Handlers for MSW behind its HTTP middleware.
import { createServer } from "@mswjs/http-middleware";
import { http, HttpResponse } from "msw";
import { create, get, list } from "./store.mjs";

const send = ({ status, body }) => HttpResponse.json(body, { status });
const key = (request) => request.headers.get("authorization");

createServer(
  http.get("/v1/pets", ({ request }) =>
    send(list(key(request), new URL(request.url).searchParams)),
  ),
  http.get("/v1/pets/:id", ({ request, params }) =>
    send(get(key(request), params.id)),
  ),
  http.post("/v1/pets", async ({ request }) =>
    send(create(key(request), await request.json())),
  ),
).listen(Number(process.env.PORT), "127.0.0.1");
