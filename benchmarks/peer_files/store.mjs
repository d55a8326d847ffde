// The operations in plain JavaScript, as users of some peers would write them.
import { readFileSync } from "node:fs";

const pets = JSON.parse(
  readFileSync(new URL("records.json", import.meta.url), "utf8"),
);
const STATUSES = ["available", "pending", "sold"];
const withStatus = (status) => pets.filter((pet) => pet.status === status);
// Otherwise, each new pet would slow down the lists.
const byStatus = Object.fromEntries(
  STATUSES.map((status) => [status, withStatus(status)]),
);
const error = (status, code, message) => ({
  status,
  body: { code, message, status },
});
const noKey = error(401, "unauthorized", "The API key is missing or invalid.");
const invalid = (message) => error(400, "invalid_request", message);

export function list(authorization, query) {
  if (authorization !== "Bearer mockpets") return noKey;
  const limit = Number(query.get("limit") ?? 20);
  const status = query.get("status");
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    return invalid("limit must be 1 to 100");
  if (status !== null && !STATUSES.includes(status))
    return invalid("status is unknown");
  const matches = status === null ? pets : byStatus[status];
  return { status: 200, body: matches.slice(0, limit) };
}

export function get(authorization, id) {
  if (authorization !== "Bearer mockpets") return noKey;
  const pet = /^\d+$/.test(id) ? pets[Number(id) - 1] : undefined; // ids are 1, 2, 3, ...
  return pet
    ? { status: 200, body: pet }
    : error(404, "pet_not_found", "There is no such pet.");
}

export function create(authorization, body) {
  if (authorization !== "Bearer mockpets") return noKey;
  const { name, categoryId, status } = body;
  if (typeof name !== "string") return invalid("name must be a string");
  if (!Number.isInteger(categoryId))
    return invalid("categoryId must be an integer");
  if (status !== undefined && !STATUSES.includes(status))
    return invalid("status is unknown");
  const pet = { id: pets.length + 1, name, categoryId, status };
  pets.push(pet);
  byStatus[status]?.push(pet);
  return { status: 201, body: pet };
}
