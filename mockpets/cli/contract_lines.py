"""What `serve` prints and logs about OpenAPI documents."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from mockpets.cli.commands import curl_command, program
from mockpets.contract.contract_description import share
from mockpets.contract.openapi_loader import not_served
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockpets.contract.contract_model import Contract, Contracts
    from mockpets.contract.details import Details
    from mockpets.settings import Settings

_NAMED: Final = 3
"""How many collections, or operations without state, the banner names."""


class Summary(NamedTuple):
    """A contract in the log.

    :param file: its document; empty for the built-in contract.
    :param state: how many of its operations have state.
    """

    title: str
    base: str
    file: str
    operations: int
    state: int

    @property
    def text(self) -> str:
        """How many operations have state, as a sentence."""
        count = counted(self.operations, "operation")
        if self.state == self.operations:
            return f"{count}, all with state"
        return f"{count}, {self.state} with state ({100 * self.state // self.operations}%)"


def summaries(contracts: Contracts) -> list[Summary]:
    """Return the contracts of a server."""
    return [*map(_summary, contracts.all)]


def _summary(contract: Contract) -> Summary:
    count, api = len(contract.operations), contract.api
    if api is None:
        return Summary(contract.name, contract.base, "", count, count)
    state = share(api)["state"]
    return Summary(contract.name, contract.base, api.document.file, count, state)


def lines(contracts: Contracts) -> Iterator[tuple[str, str]]:
    """Yield labels and texts for the banner: what has state, what has not, what is not served."""
    for each in contracts.all:
        api, summary = each.api, _summary(each)
        if api is None:
            continue
        yield "contract", f"{summary.file}: {summary.text}"
        command = f"{program()} contract {shlex.quote(summary.file)}"
        if each.collections:
            yield "state", _names([*each.collections])
        served = [one for one in api.described if not one.not_served]
        known = api.inferred.roles
        if plain := [one.name for one in served if known[one.name].role == "example"]:
            yield "no state", f"{_names(plain)}: examples only; run '{command}'"
        names = [one.name for one in api.described if one.not_served]
        texts = [_names(names)] if names else []
        notes = not_served(api.document)
        texts += [note.what for note in notes if note.kind == "part"]
        if keywords := sum(note.kind == "keyword" for note in notes):
            texts.append(f"{counted(keywords, 'keyword')} not enforced")
        if texts:
            yield "not served", f"{'; '.join(texts)}; run '{command}'"


def _names(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def keys(contracts: Contracts, settings: Settings) -> str:
    """Return which credentials are valid; empty if no operation needs one."""
    if "api_key" in settings.sources and not settings.any_key:
        return ", ".join(settings.api_key)
    details = (each.details for each in contracts.operations.values())
    is_needed = any(each is not None and each.security.is_needed for each in details)
    texts = ["any credential"] if is_needed else []
    texts += [f"{settings.key} for {each.name}" for each in contracts.all if each.api is None]
    return "; ".join(texts)


def curl(contracts: Contracts, settings: Settings, root: str) -> str:
    """Return a curl command that succeeds: a GET without parameters; empty without such a one."""
    known = [(each.path, each.details) for each in contracts.operations.values()]
    fitting = [(path, details) for path, details in known if details and _is_plain(details)]
    if not fitting:
        return ""
    path, details = min(
        fitting, key=lambda each: (each[1].role != "list", each[1].security.is_needed)
    )
    credentials = details.security.sample(settings.key)
    headers = [f"{name}: {value}" for place, name, value in credentials if place == "header"]
    query = urlencode([(name, value) for place, name, value in credentials if place == "query"])
    return curl_command(headers, root + path + (f"?{query}" if query else ""))


def _is_plain(details: Details) -> bool:
    """Return whether an operation is a GET that is served and needs no parameters."""
    described = details.described
    needed = any(each.get("required") for each in described.parameters)
    is_served = described.method == "GET" and not described.not_served
    return is_served and not needed and "{" not in described.path
