import { listPets } from "../../lib/api";

export async function Names({ cache }: { cache?: RequestCache | undefined }) {
  return <p>names: {(await listPets({ cache })).map(({ name }) => name).join()}</p>;
}
