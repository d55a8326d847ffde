import type { ApiError } from "./api";

export function Failure({ error }: { error: ApiError }) {
  return (
    <p role="alert">
      {error.status}: {error.message}
      {error.retryAfter !== null &&
        ` (try again in ${error.retryAfter} seconds)`}
    </p>
  );
}
