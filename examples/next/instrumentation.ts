import { registerOTel } from "@vercel/otel";

/** Trace the app, as in production, if TRACING is on. */
export function register(): void {
  if (process.env.TRACING !== "on") return;
  registerOTel({
    serviceName: "pet-store",
    // The API gets the trace and the baggage of the request that the app handles.
    instrumentationConfig: {
      fetch: {
        propagateContextUrls: [process.env.API_URL ?? "http://localhost:7387/"],
      },
    },
  });
}
