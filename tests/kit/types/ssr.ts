// What users write in an app's server. It must compile, and is never run.

import type { IncomingMessage } from "node:http";
import { withSession } from "mockpets/ssr";
import type { Incoming } from "mockpets/ssr";

export const none: Record<string, string> = withSession(new Headers());
export const object = withSession({ "mockpets-session": "a", cookie: undefined });
export const pairs = withSession(new Headers(), [["Authorization", "Bearer mockpets"]]);
export const copied = withSession(new Headers(), new Headers({ Accept: "application/json" }));

// Next
declare function headers(): Promise<Headers>;
export async function listPets(own?: Record<string, string>): Promise<Response> {
  return fetch("http://localhost:7387/v1/pets", { headers: withSession(await headers(), own) });
}

// React Router, Remix
export const loader = ({ request }: { request: Request }) => fetch("/", { headers: withSession(request.headers) });

// node:http, Express
export function handle(incoming: IncomingMessage): Record<string, string>[] {
  return [withSession(incoming), withSession(incoming.headers, { Authorization: "Bearer mockpets" })];
}

// A helper of one's own
export const passOn = (incoming: Incoming, init: RequestInit) => withSession(incoming, init.headers);
