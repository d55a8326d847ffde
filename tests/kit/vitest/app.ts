// An app that keeps a reference to `fetch`, as openapi-fetch does.

const base = `${process.env.MOCKPETS_URL}/v1`;
const send = globalThis.fetch;

export async function listPets() {
  const response = await send(`${base}/pets`, { headers: { Authorization: "Bearer mockpets" } });
  return response.json();
}
