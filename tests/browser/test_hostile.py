"""Forty texts that would run as scripts if the panel treated any text as markup."""

import re
from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.panel import Panel

RUN = "window.hacked=1"
HOSTILE = [
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f'"><img src=x onerror={RUN}>',
    f"'><img src=x onerror={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<body onload={RUN}>",
    f"<iframe src=javascript:{RUN}>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'>",
    f"<a href=javascript:{RUN}>click</a>",
    f"javascript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"<object data=javascript:{RUN}>",
    f"<embed src=javascript:{RUN}>",
    f"<form action=javascript:{RUN}><input type=submit>",
    f"<input autofocus onfocus={RUN}>",
    f"<select autofocus onfocus={RUN}>",
    f"<details open ontoggle={RUN}>",
    f"<video><source onerror={RUN}>",
    f"<audio src=x onerror={RUN}>",
    f"<marquee onstart={RUN}>",
    f"<math><mtext><script>{RUN}</script></mtext></math>",
    f"<style>@import 'data:text/css,*{{}}'</style><img src=x onerror={RUN}>",
    f"<link rel=stylesheet href=x onerror={RUN}>",
    "<meta http-equiv=refresh content='0;url=//evil.test'>",
    f"<base href=//evil.test/><script src=x>{RUN}</script>",
    f"<template><script>{RUN}</script></template>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"<!--><img src=x onerror={RUN}>-->",
    f"<![CDATA[<script>{RUN}</script>]]>",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"${{{RUN}}}",
    f"{{% raw %}}<script>{RUN}</script>",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    f"%3Cscript%3E{RUN}%3C/script%3E",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"\u202e<img src=x onerror={RUN}>\u2028\u2029",
    f"__proto__<b onmouseover={RUN}>toString constructor",
]
COUNT = len(HOSTILE)


def check_harmless(panel: Panel) -> None:
    """Check that no script ran and no element was injected; `visit` checks for blocked ones."""
    assert panel.page.evaluate("window.hacked") is None
    tags = "iframe, object, embed, video, audio, svg:not(.icon), img, style, link, meta, base, math"
    assert panel.page.locator(f"main :is({tags})").count() == 0


def shown(text: str) -> str:
    """Return the text as a valid description: one printable line."""
    return text if text.isprintable() else ascii(text)


def test_names_of_pets(panel: Panel) -> None:
    pets = [{"id": n, "name": text, "categoryId": 1} for n, text in enumerate(HOSTILE, 1)]
    assert panel.call("PUT", "/__mockpets/data/pets", json_body=pets).json == {"total": COUNT}
    panel.view("Data")
    names = panel.page.locator("table.editable").get_by_label(re.compile("^name of record"))
    expect(names).to_have_count(COUNT)
    assert names.evaluate_all("fields => fields.map(field => field.value)") == HOSTILE
    panel.button(f"Delete record {COUNT}, {HOSTILE[-1]}").click()
    expect(names).to_have_count(COUNT - 1)
    expect(panel.page.get_by_role("status").locator(".toast")).to_contain_text("constructor")
    check_harmless(panel)


def test_texts_of_scenarios(panel: Panel) -> None:
    documents = [
        {
            "description": shown(text),
            "stubs": [
                {
                    "match": {"operation": "createPet", "headers": {"x-test": text}},
                    "reply": {"error": "invalid_request", "message": text},
                }
            ],
        }
        for text in HOSTILE
    ]
    panel.view("Scenarios")
    # At most eight scenarios can be active.
    for start in range(0, COUNT, 8):
        body = {"scenario": documents[start : start + 8]}
        assert panel.call("PUT", "/__mockpets/scenario", json_body=body).status == 200
        for index in range(8):
            link = panel.page.locator(f".scenario-list a[href='#scenarios/inline-{index + 1}']")
            expect(link).to_contain_text(shown(HOSTILE[start + index]))
        panel.page.locator(".scenario-list a[href='#scenarios/inline-1']").click()
        expect(panel.page.get_by_role("textbox", name="Source of inline-1")).to_be_visible()
        check_harmless(panel)


def test_parts_of_requests(panel: Panel) -> None:
    for text in HOSTILE:
        match = {"operation": "createPet", "body": {"name": text}, "query": {"q": "other"}}
        document = {"description": "d", "stubs": [{"match": match, "delay": "1ms"}]}
        panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": document})
        response = panel.call(
            "POST",
            f"/v1/pets?q={quote(text)}",
            headers={"X-Test": text.encode("ascii", "replace").decode()},
            json_body={"name": text, "categoryId": text},
        )
        assert response.status == 400
    expect(panel.page.get_by_role("grid")).to_have_attribute("aria-rowcount", f"{COUNT + 2}")
    for number in range(1, COUNT + 1):
        panel.page.evaluate("number => { location.hash = `#requests/${number}`; }", number)
        expect(panel.entry).to_have_attribute("aria-label", f"Request {number}")
        expect(panel.entry.get_by_role("tab", name="Diff")).to_be_visible()
    for tab in ("Request", "Why", "Timing", "Diff"):
        panel.entry.get_by_role("tab", name=tab).click()
        expect(panel.entry.get_by_role("tabpanel")).not_to_be_empty()
    check_harmless(panel)


def test_filters_searches_and_names_in_urls(panel: Panel) -> None:
    for text in HOSTILE[:5]:
        assert panel.call("GET", f"/{quote(text)}").status == 404
    for text in HOSTILE:
        panel.page.evaluate(
            "text => { location.hash = `#requests?filter=${encodeURIComponent(text)}`; }", text
        )
    panel.page.keyboard.press("Control+k")
    for text in HOSTILE:
        panel.page.get_by_role("combobox", name="Search scenarios").fill(text)
    check_harmless(panel)
    panel.page.keyboard.press("Escape")
    for part in (f"requests/{quote(HOSTILE[0])}", quote(HOSTILE[1])):
        panel.page.goto(f"{panel.url}/__mockpets/#{part}")
    panel.view("Sessions")
    panel.button("New session").click()
    panel.page.get_by_role("textbox", name="Name").fill(HOSTILE[2])
    panel.button("Create session").click()
    expect(panel.page.get_by_role("alert").locator(".toast")).to_contain_text("session")
    check_harmless(panel)


def test_responses_in_the_try_it_form(panel: Panel) -> None:
    panel.view("Try it")
    panel.page.get_by_role("textbox", name="limit").fill(HOSTILE[2])
    panel.button("Call listPets").click()
    expect(panel.page.locator(".response .code")).to_contain_text("onerror")
    check_harmless(panel)
