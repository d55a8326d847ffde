"""Apps that `mockpets audit` opens in tests: how to build and serve them, and the mock's data."""

import mimetypes
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.pages import serving
from tests.programs import need, run_within

ROOT = Path(__file__).parents[2]
APPS = Path(__file__).with_name("apps")
CLINIC = ROOT / "examples" / "clinic"
CONTRACT = CLINIC / "api" / "clinic.yaml"
DATA: Final = (
    f"patients={CLINIC / 'data' / 'patients.yaml'}",
    f"appointments={Path(__file__).with_name('appointments.yaml')}",
)
BANNER: Final = """
const frame = document.createElement("iframe");
frame.srcdoc = "<p>Insure your pet today</p>";
const banner = document.createElement("p");
banner.textContent = "We use cookies to improve advertisements.";
document.body.prepend(banner, frame);
"""
"""What a third party's script adds to a page."""


def build(app: str, folder: Path, **variables: str) -> Path:
    """Build an app of the folder `apps` with Vite into a folder; return the folder."""
    return run_vite(APPS / app, folder, "--config", APPS / "vite.config.mjs", **variables)


def run_vite(source: Path, folder: Path, *options: str | Path, **variables: str) -> Path:
    """Run `vite build` on a folder with packages of package.json; return the output."""
    done = run_within(
        120,
        source,
        need("vite"),
        "build",
        *options,
        "--outDir",
        folder,
        "--emptyOutDir",
        **variables,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a built app at all paths, for client-side routes; yield the URL."""

    def respond(path: str, _: Mapping[str, str]) -> tuple[str, str]:
        file = folder / path.partition("?")[0].lstrip("/")
        if not file.is_file():
            file = folder / "index.html"
        return mimetypes.guess_type(file.name)[0] or "text/plain", file.read_text("utf-8")

    with serving(respond) as url:
        yield url


@contextmanager
def third_party() -> Iterator[str]:
    """Serve a script that adds a banner and a frame; yield the URL."""
    with serving(lambda *_: ("text/javascript", BANNER)) as url:
        yield url
