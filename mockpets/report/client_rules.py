"""The rules of `mockpets report`: what a client can do wrong, and how to fix it.

`report.client_checks` finds it.
"""

from __future__ import annotations

from typing import Final

from mockpets.report.findings import Rule

DEPRECATED: Final = Rule(
    "deprecated-operation",
    "warning",
    "Deprecated operation used",
    "The contract marks this operation as deprecated. Calls fail when the service removes it, "
    "on the date in the response header Sunset.",
    "Replace GET /pets/{petId} with GET /pets and its status filter, and find the pet in the "
    "list. Types generated with openapi-typescript mark the operation with @deprecated, which "
    "editors and ESLint show.",
)
BACKOFF: Final = Rule(
    "retry-without-backoff",
    "warning",
    "Retry without growing pauses",
    "A request failed (5xx, 429 or a broken connection) and was sent again at least three times"
    " with pauses that do not grow, or at least twice with pauses below 100 ms. Such clients "
    "keep an overloaded service from recovering.",
    "Double the pause after each failure, with an upper limit and some randomness. TanStack "
    "Query: keep the default retryDelay. axios-retry: retryDelay: axiosRetry.exponentialDelay "
    "(the default is no pause). ky: keep the default retry.delay. SWR: keep the default "
    "onErrorRetry. fetch: wait 1000 * 2 ** attempt milliseconds.",
)
RETRY_AFTER: Final = Rule(
    "retry-after-ignored",
    "warning",
    "Retry-After ignored",
    "The client sent the request again before the time in Retry-After was over. The service "
    "rejects it again, and may block such clients. A person who reloads the page, after pauses of "
    "at least a second that differ, is no finding.",
    "Read the header Retry-After (seconds or a date) and wait at least as long. ky and "
    "axios-retry with exponentialDelay do. TanStack Query: throw an error that has the header's"
    " value, and return it from retryDelay: (attempt, error) => ... . SWR: use it in "
    "onErrorRetry.",
)
STORM: Final = Rule(
    "request-storm",
    "warning",
    "Too many equal requests at once",
    "The client sent more equal requests in one second than --max-equal-requests allows. "
    "Usually an effect runs on each render, or several components fetch the same data.",
    "React: check the dependencies of useEffect; an object or function that is created during "
    "rendering is new each time. Share one request between components: TanStack Query with the "
    "same queryKey and a staleTime, SWR with the same key. Debounce requests while the user "
    "types.",
)
DUPLICATE: Final = Rule(
    "duplicate-create",
    "error",
    "Pet created twice",
    "The client sent the same createPet again before the first one had a response, so the "
    "service stores two pets. Usually the user clicked twice, or an effect creates the pet.",
    "Disable the button while the request is pending. TanStack Query: "
    "disabled={mutation.isPending}. React: useActionState and useFormStatus return pending. "
    "Create in an event handler, not in useEffect, which StrictMode runs twice.",
)
AFTER_401: Final = Rule(
    "request-after-401",
    "warning",
    "Requests go on after a 401",
    "After a 401, the client sent at least two more requests without a new key, and they got a "
    "401 too. The user waits for responses that cannot come.",
    "After a 401, get a new key once, or show the login page and stop sending requests. "
    "TanStack Query: retry: (count, error) => error.status !== 401 && count < 3, and a global "
    "onError of QueryCache. SWR: in onErrorRetry, return if the status is 401. axios and ky: "
    "handle the 401 in one response interceptor or afterResponse hook.",
)
PARAMETER: Final = Rule(
    "unknown-parameter",
    "error",
    "Unknown query parameter",
    "The contract does not define this query parameter for the operation, and the service "
    "ignores it. The page shows a list that is not filtered or sorted as the user expects.",
    "Rename or remove the parameter. Generate types from 'mockpets openapi' with "
    "openapi-typescript and send requests with openapi-fetch: TypeScript then rejects unknown "
    "parameters.",
)
PROPERTY: Final = Rule(
    "unknown-property",
    "error",
    "Unknown property in a body",
    "The contract does not define this property of the body, and the service ignores it. What "
    "the user entered is lost.",
    "Rename or remove the property. Send the properties of the form one by one, not the whole "
    "state of the form. Generate types from 'mockpets openapi' with openapi-typescript, and "
    "type the body as components['schemas']['NewPet'].",
)
REPEATED: Final = Rule(
    "rejected-body-repeated",
    "warning",
    "Rejected body sent again",
    "A body got a 400, and the client sent it again unchanged, with the same result. An "
    "invalid body stays invalid.",
    "Show the message of the error, and keep the button disabled until the form changes. Do not"
    " retry a 400. TanStack Query: mutations have no retry by default; keep it. axios-retry: "
    "keep the default retryCondition. ky: keep the default retry.statusCodes.",
)
KEY_IN_QUERY: Final = Rule(
    "key-in-query",
    "error",
    "Secret in the query string",
    "The name of a query parameter suggests a key or a token. URLs end up in access logs, the "
    "browser's history and the Referer header. The contract accepts the key only in a header.",
    "Send the key in the header 'Authorization: Bearer KEY'. fetch: headers: { Authorization: "
    "`Bearer ${key}` }. axios: axios.create({ headers }). ky: ky.create({ headers }).",
)
OFF_CONTRACT: Final = Rule(
    "off-contract-path",
    "error",
    "Path or method outside the contract",
    "The contract does not define this path, or not this method for it. The service responds "
    "with an error.",
    "Check the base URL, which ends with /v1, and the path. Generate types from 'mockpets "
    "openapi' with openapi-typescript and send requests with openapi-fetch: TypeScript then "
    "rejects unknown paths.",
)
UNREAD: Final = Rule(
    "response-unread",
    "warning",
    "Responses not read",
    "The client aborted more requests than --max-unread allows, before it had read their "
    "responses. The service does the work, and nobody sees the result.",
    "Send fewer requests instead of aborting them: debounce input, and do not fetch in "
    "components that are removed at once. Check that a timeout (AbortSignal.timeout, axios "
    "timeout, ky timeout) is longer than a slow response takes.",
)

RULES: Final = (
    DUPLICATE,
    PARAMETER,
    PROPERTY,
    KEY_IN_QUERY,
    OFF_CONTRACT,
    DEPRECATED,
    BACKOFF,
    RETRY_AFTER,
    STORM,
    AFTER_401,
    REPEATED,
    UNREAD,
)
