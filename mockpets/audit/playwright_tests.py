"""Write a failing Playwright test for each cause of an audit, as Prettier would format it."""

from __future__ import annotations

import json
import os
import re
import textwrap
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.audit.playwright_run import RUN_MODULE, Run, not_failing
from mockpets.constants import VERSION
from mockpets.errors import InputError, invalid, printable, problem_with
from mockpets.units import hyphenated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.audit.result import Cause, Finding, Result, SignIn, Step

HELPERS: Final = "audit.ts"
_HEADER: Final = (
    f'// mockpets {VERSION}: written by "mockpets audit"; '
    "run it again, or rename this file to edit it"
)
_WRITTEN: Final = re.compile(r'// mockpets \S+: written by "mockpets audit"')
_WIDTH: Final = 80
"""The characters of a line, as Prettier has them by default."""
_STATES: Final = ("hold", "empty")
"""The states whose lines are no message about a failure."""


@dataclass(frozen=True)
class CauseTest:
    """The test of a cause.

    :param name: the name of its file.
    :param message: what its own assertion reports.
    """

    cause: str
    name: str
    text: str
    message: str


@dataclass(frozen=True)
class Written:
    """The tests that were written.

    :param files: their paths, with that of the helpers.
    :param kept: the IDs of the causes that have a test.
    :param dropped: why other errors and warnings have none, by their IDs.
    """

    files: list[Path]
    kept: list[str]
    dropped: dict[str, str]


@dataclass(frozen=True)
class _Rule:
    """How the test of a rule ends.

    :param title: what the page or action should do.
    :param message: what the assertion reports; no other test error begins with it.
    :param lines: returns the body of the test.
    """

    title: str
    message: str
    lines: Callable[[_Context], list[str]]
    helpers: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Context:
    """What a body is made of."""

    rule: _Rule
    finding: Finding
    result: Result

    @property
    def message(self) -> str:
        """Return the message of the assertion in TypeScript."""
        return literal(self.rule.message)

    @property
    def operation(self) -> str:
        """Return the name of the operation in TypeScript."""
        return literal(self.finding["operation"])

    @property
    def expression(self) -> str:
        return literal(self.finding["expression"] or "")

    def fail(self) -> list[str]:
        """Return the lines that make requests fail."""
        return call("await mock.use(", self.expression)

    def act(self, depth: int = 2) -> list[str]:
        """Return the lines that open the page and do the steps of an action."""
        lines = call("await page.goto(", literal(self.finding["url"]), depth)
        return lines + [line for step in self.finding["steps"] for line in step_lines(step, depth)]

    def act_twice(self) -> list[str]:
        """Return the lines of a function `act` that does it."""
        lines = self.act(4)
        short = f"const act = () => {lines[0].removeprefix('await ')}"
        if len(lines) == 1 and len(short) <= _WIDTH - 2:
            return [short]
        return ["const act = async () => {", *indented(lines), "};"]

    def received(self) -> list[str]:
        """Return the lines that wait until the operation was called."""
        return one_or_more(
            f"await expect(mock).toHaveReceived({{ operation: {self.operation} }});",
            "await expect(mock).toHaveReceived({",
            [f"operation: {self.operation},"],
            "});",
        )

    def fail_and_settle(self, settled: str = "await settled(page);") -> list[str]:
        """Return the lines that do the action while it fails, and wait for the page.

        :param settled: the last line, which waits until the page has dealt with the failure.
        """
        return [*self.fail(), *self.act(), *self.received(), settled]


def write_tests(folder: Path, result: Result, run: Run | None, module: str = "") -> Written:
    """Write a test for each cause into a folder, together with the helpers that they share.

    :param run: how to run the tests; those that do not fail by their own assertion are left out.
        Without it, all are written.
    :param module: what they import the fixture as; by default, what `fixture_module` returns.
    :raise InputError: as `write_files`.
    """
    module = module or fixture_module(folder)
    is_stored = run is not None and run.storage_state is not None
    tests, dropped = cause_tests(result, module, is_stored=is_stored)
    if run is not None and tests:
        copies, _ = cause_tests(result, RUN_MODULE, is_stored=is_stored)
        reasons = not_failing(
            {each.name: each.text for each in copies},
            {each.name: each.message for each in copies},
            helpers(result, RUN_MODULE),
            run,
        )
        dropped |= {each.cause: reasons[each.name] for each in tests if each.name in reasons}
    kept = [each for each in tests if each.cause not in dropped]
    texts = {HELPERS: helpers(result, module)} if kept else {}
    texts |= {each.name: each.text for each in kept}
    return Written(write_files(folder, texts), [each.cause for each in kept], dropped)


def cause_tests(
    result: Result, module: str, *, is_stored: bool = False
) -> tuple[list[CauseTest], dict[str, str]]:
    """Return the tests of the errors and warnings, and why other causes have none, by their IDs.

    :param module: what the tests import `mockpets/playwright` as, from their folder.
    :param is_stored: whether the audit was signed in by a state that Playwright has stored.
    """
    tests: list[CauseTest] = []
    without: dict[str, str] = {}
    for cause in result["causes"]:
        if cause["accepted"] is not None or cause["level"] == "note":
            continue
        names = {each.name for each in tests}
        try:
            tests.append(_test(cause, result, module, names, is_stored=is_stored))
        except ValueError as error:
            without[cause["id"]] = str(error)
    return tests, without


def helpers(result: Result, module: str) -> str:
    """Return the text of the module that the tests share."""
    text = files("mockpets.audit").joinpath("helpers.ts").read_text(encoding="utf-8")
    text = text.replace("HEADER", _HEADER).replace("MODULE", literal(module))
    sign_in = result["sign_in"]
    if sign_in is None:
        return text
    return text + "\n".join(_sign_in(sign_in, result["signed_in"] or ""))


def write_files(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write the tests and their helpers into a folder; return their paths.

    :raise InputError: before anything is written, a file exists that the audit did not write; or a
        file cannot be written.
    """
    paths = {folder / name: text for name, text in texts.items()}
    _check(paths)
    for path, text in paths.items():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            # Exclusively: never write to where a symbolic link leads.
            with path.open("xb") as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError as error:
            raise invalid(str(path), f"cannot write this file: {error.strerror}") from error
    return [*paths]


def check_folder(folder: Path) -> None:
    """Raise `InputError` if a file in this folder may keep the audit from writing its tests.

    Their names depend on what the audit finds, but each begins with its rule.
    """
    tests = (path for path in sorted(folder.glob("*.spec.ts")) if _TEST_NAME.match(path.name))
    _check([folder / HELPERS, *tests])


def _check(paths: Iterable[Path]) -> None:
    """Raise `InputError` if files exist that the audit did not write."""
    what = "this file exists, and 'mockpets audit' did not write it"
    hint = "rename it, or choose another folder"
    foreign = [problem_with(str(path), what, hint) for path in paths if _is_foreign(path)]
    if foreign:
        raise InputError(foreign)


def fixture_module(folder: Path) -> str:
    """Return what tests in a folder import the fixture as: the npm package, or a written kit."""
    kit = kit_folder(folder)
    if kit is None:
        return "mockpets/playwright"
    relative = Path(os.path.relpath(kit, folder)).as_posix()
    return f"{relative if relative.startswith('../') else f'./{relative}'}/playwright"


def kit_folder(folder: Path) -> Path | None:
    """Return the kit that tests in a folder import, which may be missing; None for the package."""
    if Path("node_modules/mockpets").exists():
        return None
    kits = (folder / "mockpets", folder.parent / "mockpets", Path("tests/mockpets"))
    return next((path for path in kits if has_fixture(path)), kits[-1])


def has_fixture(kit: Path) -> bool:
    """Return whether a folder has the Playwright part of the kit."""
    return (kit / "playwright.js").exists()


def _is_foreign(path: Path) -> bool:
    if not os.path.lexists(path):
        return False
    try:
        return not (path.is_file() and _WRITTEN.match(path.read_text("utf-8", errors="replace")))
    except OSError:
        return True


# --- The tests ----------------------------------------------------------------------------------


def _test(
    cause: Cause, result: Result, module: str, names: set[str], *, is_stored: bool
) -> CauseTest:
    """Return the test of a cause; raise ValueError with the reason if it cannot have one."""
    rule = _RULES.get(cause["rule"])
    if rule is None:
        raise ValueError(f"there is no test for the rule {cause['rule']}")
    indexes = (result["findings"][index] for index in cause["findings"])
    finding = next((each for each in indexes if each["expression"] is not None), None)
    if finding is None:
        raise ValueError("no expression reproduces it")
    signs_in = finding["signed_in"] and result["sign_in"] is not None
    if finding["signed_in"] and not (signs_in or is_stored):
        raise ValueError("the test cannot sign in as the audit did")
    context = _Context(rule, finding, result)
    body = rule.lines(context)
    used = [*rule.helpers, *(["signIn"] if signs_in else [])]
    if signs_in:
        body = ["await signIn(page);", *body]
    if rule.lines is _message_lines:
        body = ["test.setTimeout(60_000);", *body]
    place = f"{finding['action']} on {finding['page']}" if finding["action"] else finding["page"]
    title = _line(f"{place} {rule.title} with {finding['expression']}")
    start = f"test({literal(title)}, async ({{"
    whole = f"{start} mock, page }}) => {{"
    lines = [
        _HEADER,
        f"import {{ expect, test }} from {literal(module)};",
        *([f'import {{ {", ".join(sorted(used))} }} from "./audit";'] if used else []),
        "",
        *_comment(f"{cause['id']}: {cause['title']}"),
        *_comment(finding["message"]),
        *(
            _comment("Set use.storageState to a signed-in state.")
            if finding["signed_in"] and not signs_in
            else []
        ),
        *([whole] if len(whole) <= _WIDTH else [start, "  mock,", "  page,", "}) => {"]),
        *indented(body),
        "});",
        "",
    ]
    return CauseTest(cause["id"], _file_name(cause["id"], names), "\n".join(lines), rule.message)


def _file_name(identifier: str, names: set[str]) -> str:
    slug = hyphenated(identifier)[:80] or "cause"
    name, number = f"{slug}.spec.ts", 1
    while name in names:
        number += 1
        name = f"{slug}-{number}.spec.ts"
    return name


def _message_lines(context: _Context) -> list[str]:
    """Return the body of a test that wants a message: text that the page does not show usually."""
    finding = context.finding
    probed = {
        each["state"]
        for each in context.result["matrix"]
        if each["operation"] == finding["operation"]
    }
    states = ["default", *(f"{finding['operation']}:{each}" for each in _STATES if each in probed)]
    quoted = [literal(each) for each in states if each != finding["expression"]]
    usual = "const usual = await usualLines(mock, page, act, ["
    return [
        *context.act_twice(),
        *one_or_more(
            f"{usual}{', '.join(quoted)}]);", usual, [f"{each}," for each in quoted], "]);"
        ),
        *context.fail(),
        "await act();",
        "await expect",
        "  .poll(() => newLines(page, usual), {",
        f"    message: {context.message},",
        "    timeout: RETRIES_MS,",
        "  })",
        "  .not.toEqual([]);",
    ]


def _lost_lines(context: _Context) -> list[str]:
    if not context.finding["lost"]:
        raise ValueError("the finding names no text that is missing")
    return _text_lines(context, context.finding["lost"][0], "toContain")


def _raw_lines(context: _Context) -> list[str]:
    if not context.finding["shown"]:
        raise ValueError("the finding names no text")
    return _text_lines(context, context.finding["shown"][0], "not.toContain")


def _text_lines(context: _Context, text: str, matcher: str) -> list[str]:
    start = f'expect(lines.join(" "), {context.message}).{matcher}('
    return [*context.fail_and_settle(_LINES), *call(start, literal(text_in_lines(text)))]


def _response_lines(context: _Context) -> list[str]:
    return [
        "const texts = textsOfErrors(page);",
        *context.fail_and_settle(_LINES),
        "const isRaw = (line: string) => texts.some((text) => line.includes(text));",
        f"expect(lines.filter(isRaw), {context.message}).toEqual([]);",
    ]


def _blank_lines(context: _Context) -> list[str]:
    return [
        *context.fail_and_settle(_LINES),
        f"expect(lines, {context.message}).not.toEqual([]);",
    ]


def _error_lines(context: _Context) -> list[str]:
    return [
        "const errors: string[] = [];",
        'page.on("pageerror", (error) => errors.push(error.message));',
        *context.act_twice(),
        "await act();",
        "await settled(page);",
        "const usual = new Set(errors);",
        *context.fail(),
        "await act();",
        *context.received(),
        "await settled(page);",
        "const thrown = errors.filter((error) => !usual.has(error));",
        f"expect(thrown, {context.message}).toEqual([]);",
    ]


def _storm_lines(context: _Context) -> list[str]:
    few = f"await expect(mock, {context.message}).toHaveReceived("
    return [
        *context.fail(),
        *context.act(),
        "await page.waitForTimeout(2_000);",
        few,
        f"  {{ operation: {context.operation} }},",
        "  { at_most: 4 },",
        ");",
    ]


def _input_lines(context: _Context) -> list[str]:
    fields = [each for each in context.finding["steps"] if each["do"] == "fill"]
    if not fields:
        raise ValueError("the finding has no field that is filled")
    # A page may empty a password on purpose.
    field = max(fields, key=lambda each: "assword" not in each["locator"])
    locator = chain("const field = page", calls_of(field["locator"]))
    value = literal(field.get("value", ""))
    return [
        *context.fail_and_settle(),
        *locator,
        *call(f"await expect(field, {context.message}).toHaveValue(", value),
    ]


def _double_lines(context: _Context) -> list[str]:
    steps = context.finding["steps"]
    if not steps or steps[-1]["do"] != "click":
        raise ValueError("the last step of the finding is not a click")
    hold = literal(f"{context.finding['operation']}:hold")
    before = [line for step in steps[:-1] for line in step_lines(step)]
    return [
        *call("await mock.use(", hold),
        *call("await page.goto(", literal(context.finding["url"])),
        *before,
        *chain("const button = page", calls_of(steps[-1]["locator"])),
        "await button.click();",
        *context.received(),
        "// A button that is disabled or gone by now is right.",
        "await button.click({ timeout: 1_000 }).catch(() => undefined);",
        "await page.waitForTimeout(1_000);",
        f"await expect(mock, {context.message}).toHaveReceived(",
        f"  {{ operation: {context.operation} }},",
        "  1,",
        ");",
    ]


def _moved_lines(context: _Context) -> list[str]:
    return [
        *context.fail_and_settle(),
        *call(f"await expect(page, {context.message}).toHaveURL(", literal(context.finding["url"])),
    ]


def _end_lines(context: _Context) -> list[str]:
    return [
        *context.fail_and_settle(),
        'const ways = page.getByRole("link").or(page.getByRole("button"));',
        f"await expect(ways.first(), {context.message}).toBeVisible();",
    ]


_LINES: Final = "const lines = await settled(page);"
_MESSAGE: Final = ("RETRIES_MS", "newLines", "usualLines")
_SETTLED: Final = ("settled",)
_RULES: Final[Mapping[str, _Rule]] = {
    "blank": _Rule("is not blank", "the page is blank", _blank_lines, _SETTLED),
    "stuck": _Rule("stops loading", "the page only loads", _message_lines, _MESSAGE),
    "looks-empty": _Rule("does not look empty", "the page looks empty", _message_lines, _MESSAGE),
    "silent": _Rule("shows a message", "the page shows nothing new", _message_lines, _MESSAGE),
    "collateral": _Rule("keeps other texts", "a text is missing", _lost_lines, _SETTLED),
    "uncaught": _Rule("throws nothing", "the page throws", _error_lines, _SETTLED),
    "storm": _Rule("sends few requests", "the page sends too many requests", _storm_lines),
    "input-lost": _Rule("keeps what was typed", "the text is lost", _input_lines, _SETTLED),
    "double-send": _Rule("sends one request", "the page sends it again", _double_lines),
    "raw-exception": _Rule("shows no raw text", "raw text is visible", _raw_lines, _SETTLED),
    "raw-response": _Rule(
        "shows no raw text", "raw text is visible", _response_lines, ("settled", "textsOfErrors")
    ),
    "artefact": _Rule("shows no raw text", "raw text is visible", _raw_lines, _SETTLED),
    "moved": _Rule("stays", "the page has moved", _moved_lines, _SETTLED),
    "dead-end": _Rule("has a way out", "there is no link or button", _end_lines, _SETTLED),
    "unhandled-rejection": _Rule(
        "handles rejections", "a rejection is not handled", _error_lines, _SETTLED
    ),
    "blank-loading": _Rule("is not blank", "the page is blank", _blank_lines, _SETTLED),
}
_TEST_NAME: Final = re.compile(f"(?:{'|'.join(_RULES)})-")


def _sign_in(sign_in: SignIn, user: str) -> list[str]:
    steps = [line for step in sign_in["steps"] for line in step_lines(step)]
    name = _line(f" as {user}").replace("*/", "") if user else ""
    return [
        "",
        f"/** Sign in{name} by the form of the app. */",
        "export async function signIn(page: Page): Promise<void> {",
        *indented(call("await page.goto(", literal(sign_in["url"]))),
        *indented(steps),
        "  await settled(page);",
        "}",
        "",
    ]


# --- TypeScript, as Prettier formats it ----------------------------------------------------------

_TEXT: Final = r'"(?:[^"\\\n]|\\.)*"'
_WRITTEN_TEXT: Final = rf"(?:{_TEXT}|'(?:[^'\\\n]|\\.)*')"
_VALUE: Final = rf"(?:{_TEXT}|\d+|true|false)"
_OBJECT: Final = rf"\{{ ?(?:\w+: {_VALUE})(?:, \w+: {_VALUE})* ?\}}"
_CALL: Final = re.compile(rf"(\w+)\(((?:{_VALUE}|{_OBJECT})?(?:, (?:{_VALUE}|{_OBJECT}))*)\)")
_METHODS: Final = {
    *("getByRole", "getByLabel", "getByPlaceholder", "getByText", "getByTestId", "getByTitle"),
    *("getByAltText", "locator", "filter", "first", "last", "nth"),
}


def calls_of(locator: str) -> list[str]:
    """Return the calls of a locator; raise ValueError if it is anything else.

    The locators are code in the tests, and names of the app are in them.
    """
    calls: list[str] = []
    position = 0
    while match := _CALL.match(locator, position):
        if match[1] not in _METHODS:
            break
        try:
            calls.append(re.sub(_TEXT, lambda text: literal(json.loads(text[0])), match[0]))
        except ValueError:
            break
        position = match.end()
        if position == len(locator):
            return calls
        if locator[position] != ".":
            break
        position += 1
    raise ValueError(f"a step has no locator that a test can use: {printable(locator)}")


def step_lines(step: Step, depth: int = 2) -> list[str]:
    """Return the statement that does a step."""
    value = literal(step.get("value", ""))
    last = {
        "fill": f"fill({value})",
        "select": f"selectOption({value})",
        "check": "check()",
        "click": "click()",
    }
    return chain("await page", [*calls_of(step["locator"]), last[step["do"]]], depth)


def chain(start: str, calls: Sequence[str], depth: int = 2) -> list[str]:
    """Return a statement that is a chain of calls.

    :param depth: by how many characters it will be indented, as below.
    """
    line = f"{start}.{'.'.join(calls)};"
    if len(line) <= _WIDTH - depth:
        return [line]
    if len(calls) == 1:
        return _broken(f"{start}.{calls[0]}", ";")
    lines = [start]
    for number, each in enumerate(calls, 1):
        end = ";" if number == len(calls) else ""
        whole = f".{each}{end}"
        fits = len(whole) <= _WIDTH - depth - 2
        lines += indented([whole] if fits else _broken(f".{each}", end))
    return lines


def _broken(text: str, end: str) -> list[str]:
    """Return the lines of a call whose last argument does not fit."""
    if match := re.fullmatch(rf"(.*\()((?:{_WRITTEN_TEXT}, )?)(\{{ ?(.*?) ?\}})\)", text):
        pairs = re.findall(rf"\w+: (?:{_WRITTEN_TEXT}|\d+|true|false)", match[4])
        return [f"{match[1]}{match[2]}{{", *(f"  {each}," for each in pairs), f"}}){end}"]
    name, _, arguments = text.partition("(")
    return [f"{name}(", f"  {arguments[:-1]},", f"){end}"]


def call(start: str, argument: str, depth: int = 2) -> list[str]:
    """Return a statement that ends with a call that has one argument."""
    line = f"{start}{argument});"
    return [line] if len(line) <= _WIDTH - depth else [start, f"  {argument},", ");"]


def one_or_more(line: str, start: str, inner: Iterable[str], end: str) -> list[str]:
    """Return a statement in one line if it fits, or else in several."""
    return [line] if len(line) <= _WIDTH - 2 else [start, *indented(inner), end]


def indented(lines: Iterable[str]) -> list[str]:
    """Return lines with two more spaces."""
    return [f"  {line}" if line else line for line in lines]


def literal(text: str) -> str:
    """Return a text in the quotes that need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    body = "".join(each if each.isprintable() else _escape(each) for each in _escaped(text, quote))
    return f"{quote}{body}{quote}"


def _escaped(text: str, quote: str) -> str:
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}")


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) < 0x7F else _unicode(character)


def _unicode(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def text_in_lines(text: str) -> str:
    """Return the first line of a text as `linesOf` of the helpers returns it."""
    first = next(iter(text.strip().splitlines()), "")
    return re.sub(r"\d+", "0", " ".join(first.split()))


def _line(text: str) -> str:
    return printable(" ".join(text.split()))


def _comment(text: str) -> list[str]:
    lines = textwrap.wrap(_line(text), _WIDTH - 3, break_on_hyphens=False)
    return [f"// {line}" for line in lines]
