// What users write in an app's server. It must compile, and is never run.

import type { IncomingMessage, ServerResponse } from "node:http";
import { openLink, withSession } from "mockpets/ssr";
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

// Links, in Next and Express
export function proxy(request: Request): Response | undefined {
  const headers = openLink(request.url);
  return headers ? new Response(null, { status: 307, headers }) : undefined;
}
export function middleware(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const headers = openLink(request.url!);
  headers ? response.writeHead(307, headers).end() : next();
}
