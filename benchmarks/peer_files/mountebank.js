// Injected response for mountebank: the operations, with state in the imposter.
(config) => {
  const { request, state } = config;
  if (!state.pets) {
    state.pets = PETS;
    // Otherwise, each new pet would slow down the lists.
    state.byStatus = Object.groupBy(state.pets, (pet) => pet.status);
  }
  const reply = (statusCode, value) => ({
    statusCode,
    headers: { "Content-Type": "application/json", Connection: "keep-alive" },
    body: JSON.stringify(value),
  });
  if (request.headers.Authorization !== "Bearer mockpets") {
    return reply(401, {
      code: "unauthorized",
      message: "No key.",
      status: 401,
    });
  }
  const invalid = (message) =>
    reply(400, { code: "invalid_request", message, status: 400 });
  if (request.method === "POST") {
    const { name, categoryId, status } = JSON.parse(request.body);
    if (typeof name !== "string" || !Number.isInteger(categoryId))
      return invalid("name, categoryId");
    const pet = { id: state.pets.length + 1, name, categoryId, status };
    state.pets.push(pet);
    state.byStatus[status]?.push(pet);
    return reply(201, pet);
  }
  const id = request.path.split("/")[3];
  if (id !== undefined) {
    const pet = /^\d+$/.test(id) ? state.pets[Number(id) - 1] : undefined; // ids are 1, 2, 3, ...
    return pet
      ? reply(200, pet)
      : reply(404, { code: "pet_not_found", message: "No pet.", status: 404 });
  }
  const limit = Number(request.query.limit || 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    return invalid("limit must be 1 to 100");
  const status = request.query.status;
  const matches =
    status === undefined ? state.pets : (state.byStatus[status] ?? []);
  return reply(200, matches.slice(0, limit));
};
