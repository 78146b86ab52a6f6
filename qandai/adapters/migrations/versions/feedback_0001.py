"""The baseline: what visitors report."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("person", sa.String(64), nullable=False),
        sa.Column("video_id", sa.String(64), nullable=False),
        sa.Column("request_id", sa.String(64)),
        sa.Column("code", sa.String(40)),
        sa.Column("value", sa.String(20)),
        sa.Column("second", sa.Float),
        sa.Column("text", sa.String(1000)),
    )
    op.create_index("feedback_by_recording", "feedback", ["person", "video_id"])


def downgrade() -> None:
    op.drop_table("feedback")
