import { Names } from "../Names";

export const dynamic = "force-static";

export default function Page() {
  return <Names cache={process.env.API_CACHE as RequestCache | undefined} />;
}
