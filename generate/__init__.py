"""The programs that write files of this repository from its code; CONTRIBUTING.md says when.

| program | writes |
|---|---|
| `generate.reference` | the generated parts of the pages, and `llms.txt` |
| `generate.compiled_scenarios` | `mockpets/scenario/shipped.py` |
| `generate.declarations` | `control.d.ts`, `scenarios.d.ts` and `scenarios.js` of `kit/` |
| `generate.story` | `story.webp` and its still pictures in `docs/screenshots` |
| `generate.screenshots` | the picture of the panel in `docs/screenshots` |
| `generate.gallery` | the pictures in `docs/screenshots/states` |

`reference` takes its tables from the other modules. The last four use the packages and the browser
of the tests.
"""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SCREENSHOTS: Final = ROOT / "docs" / "screenshots"
