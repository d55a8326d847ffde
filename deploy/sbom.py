"""Print the software bill of materials of this Python environment as CycloneDX 1.6.

The image is built with it: ``/opt/mockpets/sbom.cdx.json`` lists the packages with their licences.
The packages of the base image are not in it.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, distributions

_UNKNOWN = ("", "UNKNOWN")


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


def component(distribution: Distribution) -> dict[str, object]:
    """Return a package with its version and licences."""
    name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
    purl = f"pkg:pypi/{name}@{distribution.version}"
    found = licenses(distribution)
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": distribution.version,
        "purl": purl,
        **({"licenses": found} if found else {}),
    }


def main() -> None:
    """Print the document."""
    found = sorted(
        (component(each) for each in distributions()), key=lambda each: str(each["purl"])
    )
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": found}
    json.dump(document, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
