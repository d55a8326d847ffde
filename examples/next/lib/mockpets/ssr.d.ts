// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

/**
 * Return headers for a request of your server: `headers`, and those with which the incoming request names
 * a session and scenarios, `Mockpets-Session`, `Mockpets-Scenario` and the cookie `mockpets`. Without them,
 * as in production, the result has only `headers`. Names are in lower case.
 *
 * @param {Incoming} incoming the request that your server handles, or its headers, such as `await headers()` in Next
 * @param {Iterable<readonly [string, string]> | Readonly<Record<string, string>>} [headers] your own headers; if they name a session too, the headers of the incoming request take precedence
 * @returns {Record<string, string>}
 * @throws TypeError if `incoming` is neither, such as a promise that you have not awaited
 */
export function withSession(incoming: Incoming, headers?: Iterable<readonly [string, string]> | Readonly<Record<string, string>>): Record<string, string>;
/**
 * Return the headers of a redirect that stores the session and scenarios of a link, such as
 * `/pets?mockpets=demo%2Bretry`, in the cookie `mockpets`, and removes them from the address; an empty value
 * deletes the cookie. Return `null` for every other URL.
 *
 * @param {string} url of the incoming request: a path or an absolute URL
 * @returns {{ Location: string; "Set-Cookie": string } | null}
 */
export function openLink(url: string): {
    Location: string;
    "Set-Cookie": string;
} | null;
/**
 * `Headers` of any runtime or framework.
 */
export type ReadableHeaders = {
    get: (name: string) => string | null | undefined;
};
/**
 * Headers as an object, such as those of `node:http`.
 */
export type HeadersObject = {
    readonly [name: string]: string | readonly string[] | undefined;
};
/**
 * The headers of a request, or a request that has them.
 */
export type Incoming = ReadableHeaders | HeadersObject | {
    readonly headers: ReadableHeaders | HeadersObject;
};
