import { connection } from "next/server";
import { Names } from "../Names";

export default async function Page() {
  await connection(); // render it for each request, also without `headers()`
  return <Names cache={(process.env.API_CACHE as RequestCache) ?? "force-cache"} />;
}
