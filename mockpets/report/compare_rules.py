"""The rules of `mockpets compare`, in the order of its report."""

from __future__ import annotations

from typing import Final

from mockpets.report.findings import Rule

_REPORT_IT: Final = (
    "Report it to the team of the service. Until it is fixed, test your front end with a scenario "
    "that responds like the service."
)
_UPDATE: Final = (
    "If the service is right, mockpets is out of date: update mockpets, and until then write a "
    "scenario that responds like the service."
)

NO_RESPONSE: Final = Rule(
    "no-response",
    "error",
    "No usable response",
    "A request got no complete HTTP response, although others did. A front end sees a network "
    "error.",
    "Send the request again by hand. If the service is slow, increase --timeout. Otherwise report "
    "it to the team of the service.",
)
REDIRECT: Final = Rule(
    "redirect",
    "error",
    "Redirect instead of a response",
    "The contract has no redirects. mockpets does not follow them, because the other address would "
    "get the key. Browsers drop the Authorization header when a redirect leads to another origin.",
    "Check --against: use the base URL that the service responds to directly.",
)
STATUS: Final = Rule(
    "status",
    "error",
    "Status differs from the contract",
    "The contract lists one status for this request. mockpets responds with it, and the service "
    "with another.",
    f"Check the base URL and the key first. {_REPORT_IT}",
)
CONTENT_TYPE: Final = Rule(
    "content-type",
    "error",
    "Wrong content type",
    "The contract says that bodies are application/json. Clients that check the type reject other "
    "bodies, and clients cannot read an encoding that they did not ask for.",
    _REPORT_IT,
)
INVALID_JSON: Final = Rule(
    "invalid-json",
    "error",
    "Invalid JSON",
    "The body cannot be read reliably: it is not JSON in UTF-8, has a property twice, or is nested "
    "too deeply.",
    _REPORT_IT,
)
MISSING_PROPERTY: Final = Rule(
    "missing-property",
    "error",
    "Missing property",
    "The contract requires this property in every response. A front end that was tested with "
    "mockpets relies on it.",
    _REPORT_IT,
)
TYPE: Final = Rule(
    "type",
    "error",
    "Wrong type",
    "A value has another type than in the contract, or is null. Code that works with mockpets may "
    "fail with it.",
    _REPORT_IT,
)
ENUM_VALUE: Final = Rule(
    "enum-value",
    "error",
    "Value not listed in the contract",
    "The contract lists all values of this property. A front end has no label for another one.",
    f"{_UPDATE} Otherwise report it to the team of the service.",
)
LIMIT: Final = Rule(
    "limit",
    "error",
    "Wrong page size",
    "The limit or its default works differently than in the contract.",
    _REPORT_IT,
)
FILTER: Final = Rule(
    "filter",
    "error",
    "Filter without effect",
    "A filtered list has pets that the filter excludes.",
    _REPORT_IT,
)
ERROR_BODY: Final = Rule(
    "error-body",
    "error",
    "Invalid error body",
    "The contract says that all errors have a JSON body with code, message and status. A front end "
    "that shows the message has nothing to show.",
    f"Check whether a proxy in front of the service responded. {_REPORT_IT}",
)
UNKNOWN_PROPERTY: Final = Rule(
    "unknown-property",
    "warning",
    "Unknown property",
    "The service sends more than the contract lists. Clients should ignore it, and mockpets does "
    "not send it.",
    f"Do not use the property before it is in the contract. {_UPDATE}",
)
MISSING_HEADER: Final = Rule(
    "missing-header",
    "warning",
    "Missing header",
    "mockpets sends a header that the service does not send. A front end that reads it works only "
    "with mockpets.",
    "Do not rely on the header, or ask the team of the service to send it.",
)
INVALID_INPUT: Final = Rule(
    "invalid-input",
    "warning",
    "Different response to an invalid value",
    "The contract does not list a response to this invalid value. mockpets rejects it, and the "
    "service responds differently.",
    "Do not let your front end depend on either response. To test it with the service's response, "
    "write a scenario.",
)
HEAD: Final = Rule(
    "head",
    "warning",
    "HEAD differs from GET",
    "HTTP says that the response to HEAD has the status and the headers of GET (RFC 9110). The "
    "contract does not mention HEAD, and mockpets responds to it.",
    "Do not use HEAD in your front end, or ask the team of the service to support it.",
)
REMOVED_OPERATION: Final = Rule(
    "removed-operation",
    "warning",
    "Deprecated operation was removed",
    "The service responds to getPet as if the operation did not exist, even for a pet that it "
    "lists. The contract deprecates getPet and names the date of its removal; mockpets still has "
    "it.",
    "Use listPets instead. Test your front end with the scenario after-removal.",
)

RULES: Final = (
    NO_RESPONSE,
    REDIRECT,
    STATUS,
    CONTENT_TYPE,
    INVALID_JSON,
    MISSING_PROPERTY,
    TYPE,
    ENUM_VALUE,
    LIMIT,
    FILTER,
    ERROR_BODY,
    UNKNOWN_PROPERTY,
    MISSING_HEADER,
    INVALID_INPUT,
    HEAD,
    REMOVED_OPERATION,
)
