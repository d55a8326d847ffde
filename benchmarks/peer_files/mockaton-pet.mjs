// Function mock for Mockaton: GET /v1/pets/{petId}.
import { get } from "../../../store.mjs";

export default (request, response) => {
  const { status, body } = get(
    request.headers.authorization,
    request.url.split("/")[3],
  );
  response.statusCode = status;
  return JSON.stringify(body);
};
