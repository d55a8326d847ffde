// Function mock for Mockaton: GET /v1/pets.
import { list } from "../../store.mjs";

export default (request, response) => {
  const query = new URL(request.url, "http://localhost").searchParams;
  const { status, body } = list(request.headers.authorization, query);
  response.statusCode = status;
  return JSON.stringify(body);
};
