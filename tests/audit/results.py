"""A result as large as that of a real app: 12 causes, 80 findings."""

from typing import Any, cast

from mockpets.audit.result import Cause, Finding, Level, Page, Probe, Result

READS = {
    "/": ["GetArticles", "GetTags"],
    "/article/{}": ["GetArticle", "GetComments", "GetCurrentUser"],
    "/profile/{}": ["GetProfileByUsername", "GetArticles"],
    "/settings": ["GetCurrentUser"],
}
WRITES = {
    ("/article/{}", "Post Comment"): "CreateArticleComment",
    ("/article/{}", "Favorite Article"): "CreateArticleFavorite",
    ("/settings", "Update Settings"): "UpdateCurrentUser",
    ("/editor", "Publish Article"): "CreateArticle",
}
STATES = ("hold", "500", "404", "401", "offline", "malformed_json", "html 502", "empty")
URLS = {"/article/{}": "/article/how-to", "/profile/{}": "/profile/jake"}
RULES: list[tuple[str, Level, str, str, str]] = [
    ("silent/reads", "error", "No message for any failing read (6 of 6 operations)",
     "Show a message in place of the missing content when a request fails.", "500"),
    ("input-lost/writes", "error", "The form is emptied when it fails (3 of 4 operations)",
     "Keep what the user typed until the request has succeeded.", "500"),
    ("stuck/GetArticles", "error", "“Loading articles…” stays forever when GetArticles fails",
     "End the loading state in the error path, too.", "offline"),
    ("collateral/GetComments", "error", "The article disappears when its comments fail",
     "Handle the failure of each request in its own part of the page.", "500"),
    ("double-send/CreateArticleComment", "error", "A second click posts the comment again",
     "Disable the button while the request is pending.", "hold"),
    ("raw-exception/reads", "warning", "The page shows the text of an exception",
     "Write a message for people.", "malformed_json"),
    ("raw-response/GetArticle", "warning", "The page shows the server's own text of a 500",
     "Show the server's text only for a 4xx that is meant for people.", "500"),
    ("moved/GetProfileByUsername", "warning", "A failing profile leads to the home page",
     "Stay at the address, so that a reload tries again.", "offline"),
    ("unhandled-rejection/GetTags", "warning", "A rejected promise is left unhandled",
     "Catch the rejection.", "malformed_json"),
    ("no-empty/GetArticles", "note", "Nothing is shown in place of an empty list",
     "Say that there is nothing yet.", "empty"),
    ("storm/GetTags", "error", "GetTags is sent 152 times in two seconds",
     "Pause between retries.", "500"),
    ("not-announced/writes", "note", "The message is in no live region",
     "Put it into an element with role=alert.", "401"),
]  # fmt: skip


def result(**changes: Any) -> Result:
    """Return the result, with changes."""
    findings: list[Finding] = []
    causes: list[Cause] = []
    places = [
        *((page, None, operation) for page, names in READS.items() for operation in names),
        *((page, action, operation) for (page, action), operation in WRITES.items()),
    ]
    for number, (identifier, level, title, advice, state) in enumerate(RULES):
        rule, _, scope = identifier.partition("/")
        chosen = [
            place
            for place in places
            if scope == place[2] or scope == ("writes" if place[1] else "reads")
        ]
        indexes = []
        for page, action, operation in chosen:
            others = ("404", "html 502") if scope in ("reads", "writes") else ()
            for each in (state, *others):
                indexes.append(len(findings))
                findings.append(finding(rule, level, page, action, operation, each, len(findings)))
        causes.append(
            {
                "id": identifier, "rule": rule, "level": level, "title": title, "advice": advice,
                "operations": list(dict.fromkeys(operation for *_, operation in chosen)),
                "pages": list(dict.fromkeys(page for page, *_ in chosen)),
                "findings": indexes, "accepted": None, "known": number == 10,
            }
        )  # fmt: skip
    causes[-1]["accepted"] = "The header has a live region of its own."
    levels = {
        (each["page"], each["action"], each["operation"], each["state"]): each["level"]
        for each in reversed(findings)
    }
    matrix = [
        {"page": page, "action": action, "operation": operation, "state": state,
         "level": levels.get((page, action, operation, state), "ok")}
        for page, action, operation in places
        for state in STATES
        if (page, action, operation, state) in levels or was_probed(page, state)
    ]  # fmt: skip
    pages: list[Page] = [
        {"page": page, "url": URLS.get(page, page), "signed_in": page == "/settings",
         "title": f"Conduit {page}", "operations": READS.get(page, []),
         "screenshot": f"shots/page-{number}.png"}
        for number, page in enumerate(dict.fromkeys([*READS, *(page for page, _ in WRITES)]), 1)
    ]  # fmt: skip
    whole: Result = {
        "format": 1,
        "version": "0.2.0",
        "app": "http://localhost:5173/",
        "contracts": ["RealWorld Conduit API"],
        "started": "2026-11-28T21:00:00.000Z",
        "seconds": 278.1,
        "complete": False,
        "signed_in": "jake@jake.jake",
        "sign_in": None,
        "notes": ["The app registers a service worker, which may answer from its cache."],
        "pages": pages,
        "actions": [
            {"page": page, "name": name, "operations": [operation]}
            for (page, name), operation in WRITES.items()
        ],
        "not_reached": ["DeleteArticle", "UnfollowUserByUsername"],
        "probes": {"run": 167, "planned": 180},
        "matrix": cast(list[Probe], matrix),
        "causes": causes,
        "findings": findings,
    }
    return cast(Result, {**whole, **changes})


def was_probed(page: str, state: str) -> bool:
    """Return whether a state without a finding was probed: some were not."""
    return (len(page) + len(state)) % 5 != 0


def finding(
    rule: str, level: Level, page: str, action: str | None, operation: str, state: str, number: int
) -> Finding:
    """Return a finding with every property."""
    steps = [
        {"do": "fill", "locator": 'getByPlaceholder("Write a comment...")', "value": "A comment"},
        {"do": "click", "locator": f'getByRole("button", {{ name: "{action}" }})'},
    ]
    write = action is not None
    return cast(
        Finding,
        {
            "rule": rule, "level": level, "page": page, "url": URLS.get(page, page),
            "signed_in": write, "action": action, "steps": steps if write else [],
            "operation": operation, "state": state,
            "expression": None if state.startswith("html") else f"{operation}:{state}",
            "message": "The article's text is missing, and nothing new is visible.",
            "lost": ["How to train your dragon", "Ever wonder how?"],
            "shown": ["Loading articles..."],
            "requests": [{"method": "POST" if write else "GET", "path": "/api/articles/how-to",
                          "status": int(state) if state.isdigit() else None,
                          "count": 152 if rule == "storm" else 1}],
            "healthy": f"shots/page-{1 + number % 4}.png", "failing": f"shots/{number}.png",
        },
    )  # fmt: skip
