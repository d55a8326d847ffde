// mockpets 0.1.0: written by "mockpets kit"; run it again instead of editing this file
/* eslint-disable */

/** `Headers` of any runtime or framework. */
interface ReadableHeaders {
  get(name: string): string | null | undefined;
}

/** Headers as an object, such as those of `node:http`. */
interface HeadersObject {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** The headers of a request, or a request that has them. */
export type Incoming = ReadableHeaders | HeadersObject | { readonly headers: ReadableHeaders | HeadersObject };

/**
 * Return headers for a request of your server: `headers`, and those with which the incoming request names
 * the session and the scenarios of a test, `Mockpets-Session` and `Mockpets-Scenario`. Without them, as in
 * production, the result has only `headers`. Names are in lower case.
 *
 * @param incoming the request that your server handles, or its headers, such as `await headers()` in Next
 * @param headers your own headers; if they have one of the two, the incoming request takes precedence
 * @throws TypeError if `incoming` is neither, such as a promise that you have not awaited
 */
export function withSession(
  incoming: Incoming,
  headers?: Iterable<readonly [string, string]> | Readonly<Record<string, string>>,
): Record<string, string>;
