"""Write `SHA256SUMS` of the bundled models anew: `python -m training.checksums`.

Whoever puts a model into the box runs this. `sha256sum -c SHA256SUMS` checks it, and so does Tiltmeter at first use.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from tiltmeter.models.named import CHECKED, CHECKSUMS

DEMO = Path(__file__).parents[1] / "src/tiltmeter/models/demo"


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> None:
    files = sorted(file for file in DEMO.glob("*/*") if file.suffix in CHECKED)
    lines = [f"{sha256(file)}  {file.parent.name}/{file.name}\n" for file in files]
    (DEMO / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} files")


if __name__ == "__main__":
    main()
