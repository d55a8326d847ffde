"""How does the cost of a request grow with the records of a collection? In-process, per operation.

    .venv/bin/python -m benchmarks.records [ROUNDS]

Each size has its own app, and the apps take turns, so that a slow moment does not always meet the
same size. The figures are medians of CPU time, which other work on the machine hardly changes.
"""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.load import KEY
from benchmarks.tables import table
from mockpets import Settings, create_app
from mockpets.records.table import dumped, make_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import flask

SIZES: Final = (100, 1_000, 10_000, 100_000)
OPERATIONS: Final = ("create", "get", "page", "filter", "delete")
GOALS: Final[Mapping[str, float]] = dict.fromkeys(OPERATIONS[:-1], 1.2)
"""At most this many times the cost at the smallest size, at 10,000 records."""
_REQUESTS: Final = 200
_GROUP: Final = 20
"""Records with the value that the filter selects, at each size."""
_SHOP: Final = {
    "description": "A shop.",
    "resources": [{"path": "/orders", "filters": ["petId"]}],
}


class Collection:
    """An app whose collection has a number of records, and requests to it."""

    def __init__(self, name: str, size: int, folder: Path) -> None:
        self._app: flask.Flask = create_app(
            Settings(
                scenario=("shop",) if name == "orders" else ("default",),
                scenarios_dir=(folder,),
                data=("pets=0",),
                memory=2**33,
                max_records=10**7,
            )
        )
        self.path = f"/v1/{name}" if name == "pets" else f"/{name}"
        self._name, self._size = name, size
        self._new = [self._record(number) for number in range(size + 1, size + 1 + _REQUESTS)]
        self._delete = f"/__mockpets/data/{name}/" if name == "pets" else f"{self.path}/"
        self.call("GET", self.path, None, 200)
        # Not with a PUT, whose body would be too large.
        session = self._app.extensions["mockpets"].sessions.all()[0]
        collection = session.library.collection(name)
        store = session.store(session.stack(session.active), collection)
        records = ({"id": number, **self._record(number)} for number in range(1, size + 1))
        store.replace(make_table(collection, dumped(collection, records)))

    def _record(self, number: int) -> dict[str, Any]:
        is_in_group = number % (self._size // _GROUP) == 0
        if self._name == "pets":
            status = "sold" if is_in_group else "available"
            return {"name": f"Pet {number}", "categoryId": 1, "status": status}
        return {"petId": 0 if is_in_group else number, "text": f"Order {number}"}

    def measure(self) -> dict[str, float]:
        """Return the microseconds of CPU time per request of each operation."""
        keys = [1 + number * self._size // _REQUESTS for number in range(_REQUESTS)]
        value = "status=sold" if self._name == "pets" else "petId=0"
        created: list[int] = []
        steps: dict[str, Callable[[int], object]] = {
            "create": lambda n: created.append(
                json.loads(self.call("POST", self.path, self._new[n], 201))["id"]
            ),
            "get": lambda n: self.call("GET", f"{self.path}/{keys[n]}", None, 200),
            "page": lambda _: self.call("GET", f"{self.path}?limit=20", None, 200),
            "filter": lambda _: self.call("GET", f"{self.path}?limit=20&{value}", None, 200),
            "delete": lambda n: self.call("DELETE", f"{self._delete}{created[n]}"),
        }
        result = {}
        for name, step in steps.items():
            before = process_time()
            for number in range(_REQUESTS):
                step(number)
            result[name] = (process_time() - before) / _REQUESTS * 1_000_000
        return result

    def call(self, method: str, target: str, body: object = None, status: int = 0) -> bytes:
        """Send a request; return the body of the response.

        :raise RuntimeError: the status is another one; 0 is any success.
        """
        path, _, query = target.partition("?")
        raw = b"" if body is None else json.dumps(body).encode()
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_URI": target,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_AUTHORIZATION": KEY,
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(raw)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(raw),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        got: list[str] = []
        response = self._app(environ, lambda line, _headers, _info=None: got.append(line))  # type: ignore[arg-type]  # nobody calls write()
        text = b"".join(response)
        if not got[0].startswith(str(status or 2)):
            raise RuntimeError(f"{method} {target}: {got[0]}: {text[:200]!r}")
        return text


def measure(name: str, sizes: Sequence[int], rounds: int) -> dict[str, dict[int, float]]:
    """Return the microseconds per request of a collection: operation to size to median."""
    with TemporaryDirectory() as folder:
        Path(folder, "shop.json").write_text(json.dumps(_SHOP), encoding="utf-8")
        collections = {size: Collection(name, size, Path(folder)) for size in sizes}
    samples: dict[str, dict[int, list[float]]] = {
        each: {size: [] for size in sizes} for each in OPERATIONS
    }
    for number in range(rounds + 1):  # the first one only warms up
        for size in sizes if number % 2 else reversed(sizes):
            for operation, value in collections[size].measure().items():
                if number:
                    samples[operation][size].append(value)
    return {
        operation: {size: median(values) for size, values in by_size.items()}
        for operation, by_size in samples.items()
    }


def report(measured: Mapping[str, Mapping[str, Mapping[int, float]]]) -> str:
    """Return a table of collections, as `measure` returns them."""
    rows = []
    for name, operations in measured.items():
        for operation, values in operations.items():
            sizes = sorted(values)
            near = max((size for size in sizes if size <= SIZES[2]), default=sizes[0])
            ratio, goal = values[near] / values[sizes[0]], GOALS.get(operation)
            missed = " (missed)" if goal and ratio > goal else ""
            costs = [f"{values[size]:.0f}" for size in sizes]
            rows.append([name, operation, *costs, f"{ratio:.2f}{missed}", f"{goal or ''}"])
    sizes = sorted({size for each in measured.values() for by in each.values() for size in by})
    head = ["collection", "µs per", *(f"{size:,}" for size in sizes), "10,000 to 100", "goal"]
    return table(head, rows)


def main() -> None:
    """Measure both collections and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(report({name: measure(name, SIZES, rounds) for name in ("pets", "orders")}))


if __name__ == "__main__":
    main()
