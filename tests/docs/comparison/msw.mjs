// Print what MSW can do, as JSON. A handler is the user's code.
import * as msw from "msw";
import { http, HttpResponse } from "msw";
import * as node from "msw/node";

const url = "http://api.example/orders";
const keepsOrders = () => {
  const orders = [];
  return [
    http.get(url, () => HttpResponse.json(orders)),
    http.post(url, async ({ request }) => {
      orders.push(await request.json());
      return HttpResponse.json(orders.at(-1), { status: 201 });
    }),
  ];
};
const list = async () => (await fetch(url)).json();
const create = () =>
  fetch(url, { method: "POST", body: JSON.stringify({ item: "tea" }) });

const server = node.setupServer(...keepsOrders());
server.listen();
await create();
const kept = await list();
const inTest = server.boundary(async () => {
  server.use(...keepsOrders());
  return list();
});
const ofTest = await inTest();
server.use(http.get(url, () => HttpResponse.json({}, { status: 503 })));
const failed = (await fetch(url)).status;
const readers = [...Object.keys(msw), ...Object.keys(node)].filter((name) =>
  /openapi|swagger/i.test(name),
);
process.stdout.write(JSON.stringify({ kept, ofTest, failed, readers }));
