"""Changes of the source of `examples/react`, each of which makes one mistake in a failing state."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.audit.vite import APPS, ROOT, run_vite
from tests.programs import need_packages

REACT: Final = ROOT / "examples" / "react"


@dataclass(frozen=True)
class Mutation:
    """A text that occurs once in a file of `src`, and what replaces it.

    The audit must find the first rule. It may find the others, and no further error; it finds
    nothing if there are no rules.
    """

    name: str
    file: str
    old: str
    new: str
    rules: tuple[str, ...]


FAILED: Final = """\
        <div role="alert">
          <p>{result.error.message}</p>
          <button onClick={reload}>Try again</button>
        </div>"""
SPINNER: Final = """\
        <p role="status" className="spinner">
          {result.retryIn === undefined
            ? "Loading…\""""
TOAST: Final = """\
        <>
          <div role="status">
            <p ref={(toast) => void setTimeout(() => toast?.setAttribute("hidden", ""), 4000)}>
              {result.error.message}
            </p>
          </div>
          <button onClick={reload}>Try again</button>
        </>"""
FORM_ERROR: Final = '{error !== undefined && <p role="alert">{error}</p>}'
SET_ERROR: Final = "      setError(error.message);"
UNREACHABLE: Final = """\
    } catch {
      throw new ApiError(
        "The server cannot be reached. Check your connection.",
      );"""
LIST: Final = 'return json(await this.#get("/pets?limit=100", options));'
RECEIVED: Final = "      const response = await this.#send(path, { signal });"

MUTATIONS: Final = (
    Mutation("a failed read shows nothing", "Loaded.tsx", FAILED, "        null", ("silent",)),
    Mutation(
        "a failed read stays loading",
        "Loaded.tsx",
        FAILED,
        '        <p role="status" className="spinner">Loading…</p>',
        ("stuck",),
    ),
    Mutation(
        "the message of a failed read has no live region",
        "Loaded.tsx",
        '<div role="alert">',
        "<div>",
        ("not-announced",),
    ),
    Mutation("a failed form shows nothing", "PetForm.tsx", FORM_ERROR, "", ("silent",)),
    Mutation(
        "a failed form is emptied",
        "PetForm.tsx",
        SET_ERROR,
        f"{SET_ERROR}\n      form.reset();",
        ("input-lost",),
    ),
    Mutation(
        "a form sends twice",
        "PetForm.tsx",
        "<button disabled={isSending}>",
        "<button>",
        ("double-send",),
    ),
    Mutation(
        "a message is the text of an exception",
        "api.ts",
        UNREACHABLE,
        "    } catch (error) {\n      throw new ApiError(String(error));",
        ("raw-exception",),
    ),
    Mutation(
        "a failed read looks like an empty list",
        "api.ts",
        LIST,
        'return this.#get("/pets?limit=100", options).then(json<Pet[]>).catch(() => []);',
        ("looks-empty",),
    ),
    Mutation(
        "a failed read takes the page away",
        "Loaded.tsx",
        f"      return (\n{FAILED}\n      );",
        "      throw result.error;",
        ("blank", "uncaught"),
    ),
    Mutation(
        "a failed read is sent ten more times without a pause",
        "api.ts",
        RECEIVED,
        f"{RECEIVED}\n      if (response.status >= 400 && retries < 10) continue;",
        ("storm",),
    ),
    Mutation(
        "a pet that is added at once vanishes",
        "PetForm.tsx",
        FORM_ERROR,
        "{isSending && <p>{document.forms[0]?.querySelector('input')?.value} was added.</p>}",
        ("silent",),
    ),
    Mutation(
        "nothing shows that a page loads",
        "Loaded.tsx",
        SPINNER,
        SPINNER.replace("Loading…", "").replace(' className="spinner"', ""),
        ("no-loading",),
    ),
    Mutation(
        "a failed form leaves a rejected promise",
        "PetForm.tsx",
        SET_ERROR,
        f"{SET_ERROR}\n      throw error;",
        ("unhandled-rejection", "uncaught"),
    ),
    Mutation("the message is a toast for four seconds", "Loaded.tsx", FAILED, TOAST, ()),
)


def source_of(mutation: Mutation) -> str:
    return (REACT / "src" / mutation.file).read_text("utf-8")


def build_react(folder: Path, mutation: Mutation | None = None) -> Path:
    """Copy the example's app, apply a mutation, and build it; return the folder of the result."""
    source = folder / "source"
    shutil.copytree(REACT / "src", source / "src")
    shutil.copy2(REACT / "index.html", source)
    (source / "node_modules").symlink_to(need_packages())
    if mutation:
        text = source_of(mutation).replace(mutation.old, mutation.new)
        (source / "src" / mutation.file).write_text(text, "utf-8")
    config = APPS / "vite.config.mjs"
    return run_vite(source, folder / "built", "--config", config, VITE_API_KEY="mockpets")
