import { unstable_cache } from "next/cache";
import { connection } from "next/server";
import { listPets } from "../../../lib/api";

const cached = unstable_cache(() => listPets({ cache: undefined }));

export default async function Page() {
  await connection();
  return <p>names: {(await cached()).map(({ name }) => name).join()}</p>;
}
