"""Reports for the tests of the formats."""

from typing import Final

from hypothesis import strategies as st

from mockpets.report.findings import Evidence, Finding, Report, Rule

RETRY: Final = Rule(
    "retry-pauses",
    "error",
    "Retry without growing pauses",
    "A request that failed was repeated at least three times, and the pauses did not grow. Many "
    "clients that do this at once keep a server from recovering.",
    "Double the pause after each attempt, and add a random part to it.",
)
DEPRECATED: Final = Rule(
    "deprecated-operation",
    "warning",
    "Deprecated operation used",
    "The client called an operation that will be removed.",
    "Call GET /v1/pets/{petId} instead; see the header `Link` of the response.",
)

NASTY: Final = (
    "\x1b[31mred\x1b]0;title\x07",
    "\r\n::error::injected",
    "\n## heading\n",
    "```\n# out",
    "`" * 7,
    "| a | b |",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\" onmouseover='alert(1)' x=\"",
    "</style></title><!-- -->",
    "]]><x/>&amp;&#0;",
    "[click](https://evil.test) ![](//evil.test/x) www.evil.test @octocat #1",
    "%0A::warning::x%25",
    "a,b:c=d",
    "`@me@you_all`@ @a`@_b",
    "\x00\x01\ufffe\uffff",
    "\ud800 lone",
    "\u202egnp.exe\u2066",
    "\u2028\u2029\x85",
    "{0} {{x}} ${y}",
    "caf\u00e9 \U0001f436",
)
"""Texts that a client could send, each a problem in at least one format."""

REPORT: Final = Report(
    "9 requests in 2 sessions",
    (
        Finding(
            RETRY,
            "GET /v1/pets was repeated after 503 without growing pauses: 0.10 s, 0.10 s, 0.10 s",
            "session checkout",
            (
                Evidence("GET /v1/pets", "503", 3, "2026-11-22T12:00:01.250Z"),
                Evidence("GET /v1/pets", "503", 4, "2026-11-22T12:00:01.350Z", "after 0.10 s"),
                Evidence("GET /v1/pets", "broken", 5, "2026-11-22T12:00:01.450Z", "after 0.10 s"),
            ),
        ),
        Finding(
            RETRY,
            "GET /v1/pets?q=`` | <b>caf\u00e9</b> was repeated after 500 without growing pauses",
            "session list",
            (
                Evidence(
                    "GET /v1/pets?q=`` | <b>caf\u00e9</b>", "500", 1, "2026-11-22T12:00:02.000Z"
                ),
            ),
        ),
        Finding(
            DEPRECATED,
            "GET /v1/store/orders is deprecated",
            "logs/a b.har",
            (Evidence("GET /v1/store/orders", "200", None, "2026-11-22T12:00:03.000Z"),),
            "logs/a b.har",
        ),
    ),
    ("session list dropped 4 requests, which were not checked",),
)

_texts = st.one_of(st.sampled_from(NASTY), st.text(), st.text(st.characters(codec=None)))


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Return a report with any texts where texts come from clients and services."""
    evidence = st.builds(
        Evidence,
        _texts,
        _texts,
        st.none() | st.integers(1),
        st.just("2026-11-22T12:00:00.000Z"),
        _texts,
    )
    findings = st.builds(
        Finding,
        st.sampled_from([RETRY, DEPRECATED]),
        _texts,
        _texts,
        st.lists(evidence, min_size=1, max_size=3).map(tuple),
    )
    found = draw(st.lists(findings, max_size=4))
    found.sort(key=lambda each: [RETRY, DEPRECATED].index(each.rule))
    limits = draw(st.lists(_texts, max_size=2))
    return Report(draw(_texts), tuple(found), tuple(limits))
