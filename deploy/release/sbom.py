"""Print the software bill of materials of this Python environment and its system as CycloneDX 1.6.

The image is built with it: ``/opt/mockpets/sbom.cdx.json`` lists the packages with their licences.
It runs on the image's base, and lists what dpkg has installed there; another system has no list.
With a folder as its argument, it lists only the Python packages in it, as for mockpets.pyz.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from email.parser import HeaderParser
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

_UNKNOWN = ("", "UNKNOWN")
_DPKG = Path("/var/lib/dpkg/status")
_COPYRIGHT = "/usr/share/doc/{}/copyright"


def licenses(distribution: Distribution) -> list[dict[str, object]]:
    """Return the licences that a package declares: an SPDX expression, or else names."""
    metadata = distribution.metadata
    expression = metadata.get("License-Expression", "")
    if expression:
        return [{"expression": expression}]
    prefix = "License :: "
    names = [
        text.rpartition(" :: ")[2]
        for text in metadata.get_all("Classifier", [])
        if text.startswith(prefix) and text != f"{prefix}OSI Approved"
    ]
    plain = metadata.get("License", "").strip()
    if not names and plain not in _UNKNOWN and "\n" not in plain:
        names = [plain]  # a longer text is the licence itself, which is among the package's files
    return [{"license": {"name": name}} for name in names]


def component(
    name: str, version: str, purl: str, found: list[dict[str, object]]
) -> dict[str, object]:
    """Return a package with its version and the licences found."""
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        **({"licenses": found} if found else {}),
    }


def python_package(distribution: Distribution) -> dict[str, object]:
    """Return a package of this Python environment."""
    name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
    purl = f"pkg:pypi/{name}@{distribution.version}"
    return component(name, distribution.version, purl, licenses(distribution))


def interpreter() -> dict[str, object]:
    """Return Python, which the official image builds without dpkg."""
    version = platform.python_version()
    found: list[dict[str, object]] = [{"license": {"name": "Python Software Foundation License"}}]
    return component("python", version, f"pkg:generic/python@{version}", found)


def system_packages() -> Iterator[dict[str, object]]:
    """Yield the packages that dpkg has installed."""
    if not _DPKG.exists():
        return
    system = platform.freedesktop_os_release()
    for text in _DPKG.read_text(encoding="utf-8").strip().split("\n\n"):
        package = HeaderParser().parsestr(text)
        if package["Status"].endswith(" installed"):
            yield system_package(package, system)


def system_package(package: Message, system: dict[str, str]) -> dict[str, object]:
    """Return a package from its paragraph in dpkg's list."""
    name, version = package["Package"], package["Version"]
    release = f"{system['ID']}-{system['VERSION_ID']}" if "VERSION_ID" in system else system["ID"]
    purl = (
        f"pkg:deb/{system['ID']}/{quote(name)}@{quote(version, safe=':~')}"
        f"?arch={package['Architecture']}&distro={release}"
    )
    return component(name, version, purl, system_licenses(name))


def system_licenses(name: str) -> list[dict[str, object]]:
    """Return the licences that a package's copyright file names, if it has the format of DEP 5."""
    path = Path(_COPYRIGHT.format(name))
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    if not text.startswith("Format:"):
        return []
    names = re.findall(r"^License:[ \t]*(\S.*?)[ \t]*$", text, re.MULTILINE)
    return [{"license": {"name": each}} for each in sorted(set(names))]


def main() -> None:
    """Print the document."""
    folders = sys.argv[1:]
    installed = distributions(path=folders) if folders else distributions()
    found = [
        *sorted(map(python_package, installed), key=lambda each: str(each["purl"])),
        *([] if folders else [interpreter(), *system_packages()]),
    ]
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": found}
    json.dump(document, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
