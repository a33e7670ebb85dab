"""Schema of `world_diagnostics`."""

from verdict_assets.schemas.common import BENCHMARK, STUDY
from verdict_assets.schemas.table import Column, Table, Type

TABLE = Table(
    name="world_diagnostics",
    meaning="What the world is like: has verification something to do, and can the judges see?",
    columns=(
        STUDY,
        BENCHMARK,
        Column("metric", Type.TEXT, "Name of the quantity."),
        Column("value", Type.REAL, "Its value; null where nothing was there to measure.", nullable=True),
        Column("numerator", Type.REAL, "What was counted, where the value is a ratio.", nullable=True),
        Column("denominator", Type.REAL, "Out of how many, where the value is a ratio.", nullable=True),
        Column("lower", Type.REAL, "Lower end of the confidence interval.", nullable=True),
        Column("upper", Type.REAL, "Upper end of the confidence interval.", nullable=True),
    ),
    key=("study", "benchmark", "metric"),
)
