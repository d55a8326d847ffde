import { useState } from "react";
import { ApiError } from "./api/client";

/** Send a request that changes something: say whether it is on its way, and keep its error until the next one. */
export function useSend() {
  const [error, setError] = useState<ApiError>();
  const [isSending, setIsSending] = useState(false);

  /** Return the error, if the request failed. */
  async function send(
    request: () => Promise<void>,
  ): Promise<ApiError | undefined> {
    setError(undefined);
    setIsSending(true);
    try {
      await request();
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setError(error);
      return error;
    } finally {
      setIsSending(false);
    }
  }
  return { error, isSending, send };
}
