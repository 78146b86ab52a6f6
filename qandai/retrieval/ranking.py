"""How what speaks for a passage becomes one order of passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from qandai.retrieval.fuse import Signals, best, count_votes, fuse_runs, linear, rrf
from qandai.retrieval.lexical import Scores
from qandai.retrieval.likeness import INSIDE
from qandai.retrieval.ranker import SHIPPED, Ranker


@dataclass(frozen=True, slots=True)
class Ranking:
    """`ranker` weighs what was learned to count; of the best passages it also reads the sentences. `w_bm25` is the
    share of the keyword score in linear fusion and RRF, 0 to 1.

    `votes` counts in how many lists, one a signal and query, a passage stands: what weighted RRF replaced, kept to be
    compared with.
    """

    fusion: Literal["ranker", "linear", "rrf", "votes", "vectors", "bm25"] = "ranker"
    w_bm25: float = 0.5
    slips: bool = True  # of the fingers are put right before searching
    w_original: float = 3.0  # what the question itself counts beside its rewrites
    rewrite_depth: int = 8  # passages of each rewrite that take part
    # Where a model imagined nonsense (65 questions about the demo), hit@1 fell from .815 to .400 with the usual 60, to
    # .708 with 10, and not at all with 2. Where it knew the answer, 33 others rose from .788 to 1.00, 1.00 and .939.
    rewrite_k: int = 10
    # Of the archive's models the first one reads rewrites: with two hit@1 is .002 better over two sets of visitors'
    # questions, and five rewrites take 60 ms to embed instead of 20.
    rewrite_models: int | None = 1
    excerpt_chars: int = 1000
    depth: int = 100  # how far down the question's own run is read before it is fused with others
    keep: int | None = None  # passages of the question itself that take part; None: as many as are wanted
    reread: int = 40  # passages whose sentences and words the ranker reads; of a rewrite twice its depth
    reread_across: int = 160  # where the question is in another language, and none of its words ranks anything before
    rerank: int = 30  # passages that a reranker puts in order, where there is one
    copies: float | None = 0.6  # above 0: how alike two hits are of which one is shown; None: every copy is
    # Sources end at these shares of the best score. Over five sets of questions that hides one in ten of five sources,
    # and from 0.3 % of the questions the only one that answers; the widest gap however narrow hides it from 5 to 17 %.
    cut_floor: float = 0.5
    cut_gap: float = 0.3
    ranker: Ranker = SHIPPED

    @property
    def inside(self) -> Mapping[str, float]:
        """What the evidence counts for which passages have to be read; empty where none are."""
        weights = self.ranker.weights if self.fusion == "ranker" else {}
        return {name: weights[name] for name in INSIDE if weights.get(name)}

    def fuse(self, signals: Signals) -> Scores:
        """The signals of one query as one score."""
        if self.fusion == "ranker":
            return linear(signals, self.ranker.weights)
        if self.fusion in ("vectors", "bm25"):
            return linear(signals, {self.fusion: 1.0})
        weights = {"vectors": 1 - self.w_bm25, "bm25": self.w_bm25}
        return rrf(signals, weights) if self.fusion == "rrf" else linear(signals, weights)

    def order(
        self, signals: Sequence[Signals], scored: Sequence[Scores], weights: Sequence[float], *, count: int
    ) -> list[tuple[int, float]]:
        """Places with their scores, best first. One entry of each a query, the question first; `scored` as `fuse` made
        them of the signals, or better. The scores are on the scale of the question's own, whatever else was asked."""
        depth = self._depth(count)
        if self.fusion == "votes":
            return count_votes([best(scores, depth).tolist() for each in signals for scores in each.values()])[:count]
        own = [(int(place), float(scored[0][place])) for place in best(scored[0], depth)]
        if len(scored) == 1:
            return own[:count]
        runs = [[place for place, _ in own], *(best(scores, self.rewrite_depth).tolist() for scores in scored[1:])]
        fused = fuse_runs(runs, [weights[0] * self.w_original, *weights[1:]], k=self.rewrite_k)
        return dealt([place for place, _ in fused], [score for _, score in own])[:count]

    def _depth(self, count: int) -> int:
        return max(count, self.depth) if self.keep is None else self.keep


def dealt(order: Sequence[int], scores: Sequence[float]) -> list[tuple[int, float]]:
    """The places in their new order with the scores of the old one, so that whoever weighs them against something else
    sees the scale that it knows. Places beyond the last score get that."""
    return [(place, scores[min(rank, len(scores) - 1)]) for rank, place in enumerate(order)]
