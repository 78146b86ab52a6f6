"""`python -m tests.bench [--only SECTION [its options]]`: what the work costs on this machine, section by section.

Each section is a module that runs by itself too, and has a process of its own: memory is measured by its peak, which
never falls.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys

SECTIONS = {
    "captions": "reading and merging captions",
    "ingest": "cutting a long recording for speech to text",
    "embedding": "what each embedder does a second",
    "models": "what an answer costs beside the language models' own time",
    "answers": "indexing and answering",
}
"""Those that end soonest first. Each is the module tests.bench_NAME."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=SECTIONS, help="this section; what else is given goes to it")
    given, options = parser.parse_known_args()
    if options and given.only is None:
        parser.error(f"{options[0]} belongs to one section: name it with --only")
    sys.stdout.write(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    failed = []
    for name in [given.only] if given.only else SECTIONS:
        sys.stdout.write(f"\n{SECTIONS[name]}\n")
        sys.stdout.flush()
        if subprocess.run([sys.executable, "-m", f"tests.bench_{name}", *options], check=False).returncode:
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
