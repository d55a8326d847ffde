import { NextResponse } from "next/server";
import { openLink } from "./lib/mockpets/ssr";

/** Open links that carry a session and scenarios of mockpets, such as `/?mockpets=demo%2Bretry`. */
export function proxy(request: Request) {
  const headers = openLink(request.url);
  return headers
    ? new Response(null, { status: 307, headers })
    : NextResponse.next();
}
