import { ApiError, createPet, listPets } from "../../../lib/api";

export async function GET(): Promise<Response> {
  return respond(listPets());
}

export async function POST(request: Request): Promise<Response> {
  return respond(createPet(await request.json()));
}

async function respond(result: Promise<unknown>): Promise<Response> {
  try {
    return Response.json(await result);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return Response.json({ message: error.message }, { status: error.status });
  }
}
