// A record by fetch, with a skeleton and two retries.

import { Skeleton } from "../../shared/fields.jsx";
import { readPatiently } from "../api.js";
import { Failure, useLoad } from "../ui.jsx";

export function Account() {
  const { data, error, reload } = useLoad(readPatiently, "/me");
  return (
    <>
      <h1>Your account</h1>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && <p>Your address is {data.email}.</p>}
    </>
  );
}
