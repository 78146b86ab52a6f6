"""Two transcripts of one recording: how far apart they put the words that both hold.

python -m eval.timing captions.json whisper.json --json run.json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from eval.runs import Run, digest, guarded, write_run
from qandai import compose
from qandai.errors import UsageError
from qandai.model import Transcript
from qandai.text import tokens


def apart(one: Transcript, other: Transcript) -> list[tuple[str, float, float]]:
    """The words that both say in the same order, with the start each gives. A word whose time either only estimates
    is left out, unless that leaves none."""
    ours, theirs = _timed(one), _timed(other)
    pairs: list[tuple[tuple[str, float, bool], tuple[str, float, bool]]] = []
    for block in Levenshtein.opcodes([key for key, *_ in ours], [key for key, *_ in theirs]):
        if block.tag == "equal":
            pairs += zip(ours[block.src_start : block.src_end], theirs[block.dest_start : block.dest_end], strict=True)
    exact = [pair for pair in pairs if pair[0][2] and pair[1][2]]
    return [(key, start, there) for (key, start, _), (_, there, _) in exact or pairs]


def _timed(transcript: Transcript) -> list[tuple[str, float, bool]]:
    return [(key, word.start, word.exact) for word in transcript.words for key in tokens(word.text)[:1]]


def figures(pairs: Sequence[tuple[str, float, float]], words: int) -> dict[str, float | None]:
    """Seconds. `matched` is the share of the first transcript's words that were compared; None where there are none.

    `median_shift` has a sign: by how much the second is later."""
    shifts = np.array([there - here for _, here, there in pairs])
    if not len(shifts):
        return {"matched": 0.0, "median": None, "p95": None, "median_shift": None}
    return {
        "matched": len(pairs) / max(1, words),
        "median": float(np.median(abs(shifts))),
        "p95": float(np.quantile(abs(shifts), 0.95)),
        "median_shift": float(np.median(shifts)),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("one", type=Path, help="a transcript file")
    parser.add_argument("other", type=Path, help="another of the same recording")
    parser.add_argument("--json", type=Path, help="write the run here, too")
    given = parser.parse_args(arguments)
    for path in (given.one, given.other):
        if not path.is_file():
            raise UsageError(f"{path} is not a file.", hint="eval.timing takes two transcript files.")
    one, other = compose.read_transcript(given.one), compose.read_transcript(given.other)
    pairs = apart(one, other)
    metrics = figures(pairs, len(one.words))
    if not pairs:
        print("No word stands in both.")
    else:
        print(
            f"{len(pairs)} words ({metrics['matched']:.0%} of the first): starts differ by {metrics['median']:.3f} s "
            f"(median), {metrics['p95']:.3f} s (p95); the second is later by {metrics['median_shift']:+.3f} s (median)"
        )
    if given.json:
        rows = [{"word": word, "one": here, "other": there} for word, here, there in pairs]
        data = {"paths": [given.one.name, given.other.name], "hashes": [digest([given.one]), digest([given.other])]}
        write_run(given.json, Run("timing", {}, data, metrics, rows))


if __name__ == "__main__":
    guarded(main)
