"""Schema of `score_manifest`."""

from verdict_assets.schemas.common import BENCHMARK, STUDY, count
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="score_manifest",
    meaning="Every partition of the tables that models filled, with its rows' hash: the root of all numbers.",
    columns=(
        STUDY,
        BENCHMARK,
        Column(
            "table_name",
            Type.TEXT,
            "The partitioned table.",
            values=("candidates", "raw_scores", "answers", "judge_probe"),
        ),
        count("rows", "Rows of the partition."),
        Column("sha256", Type.TEXT, "sha256 of the partition's sorted rows."),
        Column(
            "closed",
            Type.BOOLEAN,
            "Whether nothing is missing: every strategy of the study has its answer to every question, or, "
            "for `judge_probe`, every judge its reply to every item.",
        ),
        Column("draft", Type.BOOLEAN, "Whether a row rests on the open layer of the store."),
        count(
            "questions",
            "Questions the study asks of the benchmark; for `judge_probe` those with steps of known truth.",
        ),
        count("questions_closed", "Questions for which nothing is missing."),
        count("requests", "Different requests whose answers the rows rest on.", unit="requests"),
        count("prompt_tokens", "Tokens of those requests' prompts, as the engine counted.", unit="tokens"),
        count("output_tokens", "Tokens of their answers, as the engine counted.", unit="tokens"),
    ),
    key=("study", "benchmark", "table_name"),
)
