"""What a report shows of each kind of run, and in which order the kinds come."""

from __future__ import annotations

COLUMNS = {
    "retrieval": ("hit@1", "hit@5", "hit@10", "mrr", "ndcg@10", "right_video@1", "mean_passage_chars", "rank_ms_p50"),
    "end_to_end": (
        "right_play", "within_5s", "median_start_error", "p90_start_error", "starts_on_question", "refused",
        "failed_retrieval", "failed_selection", "ms_p50", "ms_p95",
    ),
    "refusal": (
        "floor", "answerable_refused", "foreign_refused", "auc", "near_auc", "absurd_auc", "best_floor",
        "best_answerable_refused", "best_foreign_refused",
    ),
    "expansion": ("hit@1", "hit@5", "hit@10", "mrr", "ndcg@10", "right_video@1", "rewritten", "rank_ms_p50"),
    "synthesis": (
        "holds_answer", "contains", "text_missing", "sentences", "supported", "citations", "right_play", "refused",
        "ms_p50", "ms_p95", "provider_errors",
    ),
    "models": (
        "right_play", "within_5s", "refused", "directness", "unusable", "unverified", "tokens_in", "tokens_out",
        "model_ms_p50", "model_ms_p95", "ms_p50", "ms_p95", "provider_errors",
    ),
    "judge": (
        "directness", "direct", "judged", "agree", "agree_within_1", "kappa", "refused", "unusable", "provider_errors",
    ),
    "timing": ("matched", "median", "p95", "median_shift"),
}  # fmt: skip
TITLES = {
    "retrieval": "Retrieval: is the right passage ranked first?",
    "end_to_end": "End to end: does the sound begin inside the answer?",
    "refusal": "Refusal: are questions refused that nobody answered, and only those?",
    "expansion": "Expansion: what do imagined answers add to the search?",
    "synthesis": "Texts: do answers from the whole archive hold what they must?",
    "models": "Models: which chooses best, and in which way?",
    "judge": "Judges: how directly do clips answer?",
    "timing": "Timing: how far apart two transcripts put the same words",
    "alignment": "Alignment: is a quote found where it was said?",
}
