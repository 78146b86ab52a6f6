"""A run as a file: what was measured, on which data, with which code and settings, and a row for every question."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import qandai
from eval.revision import revision
from qandai.errors import QandaiError, UsageError

Row = Mapping[str, object]

_EMBEDDING = ("bert", "e5", "e5_weights", "encoder", "minilm", "onnx", "openai_embeddings")

_MEASURING = (
    "aligners",
    "assisted",
    "data",
    "essays",
    "expansion",
    "figures",
    "metrics",
    "options",
    "patient",
    "perturb",
    "played",
    "questions",
    "quoting",
    "ranked",
    "refusal",
    "reborder",
    "shelf",
    "slips",
    "spelling",
    "spoken",
    "statistics",
    "subject",
)


@cache
def made_by() -> dict[str, object]:
    """The version; the commit where there is one, with `+` where the tree differs from it; and a hash of the sources
    that figures depend on, by which a finished run is known to be up to date."""
    package, here = Path(qandai.__file__).parent, Path(__file__).parent
    sources = [
        path for part in ("", "retrieval", "answering", "alignment", "asking") for path in (package / part).glob("*.py")
    ]
    sources += [package / "adapters" / f"{name}.py" for name in _EMBEDDING]
    sources += [here / f"{name}.py" for name in _MEASURING]
    sources += [package / "retrieval" / "ranker.json", *(here / "rankers").glob("*.json")]
    return {"version": qandai.__version__, "commit": revision(), "source": digest(sources)[:16]}


@dataclass(frozen=True, slots=True)
class Run:
    """`intervals`: for each metric that is a figure of the rows, the 95 % interval of it."""

    module: str
    settings: Mapping[str, object]
    data: Mapping[str, object]
    metrics: Mapping[str, object]
    rows: Sequence[Row]
    seed: int = 0
    intervals: Mapping[str, Sequence[float]] = field(default_factory=dict)
    code: Mapping[str, object] = field(default_factory=made_by)

    @property
    def name(self) -> str:
        """As a report calls it: what was asked, and what is not as by default."""
        asked = self.data.get("name")
        parts = [self.module if asked is None else str(asked), str(self.settings.get("label", "defaults"))]
        return " · ".join(part for part in parts if part)

    def number(self, metric: str) -> float | None:
        value = self.metrics.get(metric)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def digest(paths: Iterable[Path]) -> str:
    """One hash of the files' contents, whatever they are called and wherever they lie."""
    return combined(file_hash(path) for path in paths)


def file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def combined(hashes: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def write_run(path: Path, run: Run) -> None:
    """Atomic, so that a run that is read back is whole."""
    document = {
        "module": run.module,
        "code": run.code,
        "settings": run.settings,
        "seed": run.seed,
        "data": run.data,
        "metrics": run.metrics,
        "intervals": run.intervals,
        "rows": list(run.rows),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_name(f".{path.name}.part")
    whole.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    whole.replace(path)


def read_run(path: Path) -> Run:
    """Raises UsageError for a file that is no run."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return Run(
            module=str(fields.get("module", path.stem)),
            settings=dict(fields["settings"]),
            data=dict(fields["data"]),
            metrics=dict(fields["metrics"]),
            rows=tuple(fields["rows"]),
            seed=int(fields.get("seed") or 0),
            intervals=dict(fields.get("intervals") or {}),
            code=dict(fields["code"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        reason = f"{exc} is missing" if isinstance(exc, KeyError) else str(exc)
        raise UsageError(
            f"{path} is not a run: {reason}.", hint="Runs are what --json of an eval module writes."
        ) from exc


def guarded(main: Callable[[], None]) -> None:
    """Runs a module's `main`; an error of ours ends it with its message and exit code."""
    try:
        main()
    except QandaiError as exc:
        print(f"{exc.message}{f' {exc.hint}' if exc.hint else ''}", file=sys.stderr)
        sys.exit(2 if isinstance(exc, UsageError) else 1)
    except KeyboardInterrupt:
        sys.exit(130)
