import { Names } from "../Names";

export const revalidate = 60;

export default function Page() {
  return <Names cache={process.env.API_CACHE as RequestCache | undefined} />;
}
