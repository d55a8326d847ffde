// Function mock for Mockaton: POST /v1/pets.
import { parseJSON } from "mockaton";
import { create } from "../../store.mjs";

export default async (request, response) => {
  const { status, body } = create(
    request.headers.authorization,
    await parseJSON(request),
  );
  response.statusCode = status;
  return JSON.stringify(body);
};
