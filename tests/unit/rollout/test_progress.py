"""The lines that say how a rollout gets on."""

from __future__ import annotations

import io
from collections import Counter

from verdict_assets.inference.request import Finish, Response, State
from verdict_assets.rollout.progress import Progress
from verdict_assets.rollout.report import Report


def test_rate_and_time_left_follow_from_the_closed_questions() -> None:
    now = [0.0]
    stream = io.StringIO()
    progress = Progress(stream, questions=4, every=10.0, clock=lambda: now[0])
    for _ in range(20):
        progress.asked(0)
    for _ in range(5):
        progress.asked(1)
    now[0] = 9.0
    progress.answered(20, 25)
    assert stream.getvalue() == ""  # too soon for a line
    progress.closed([0])
    now[0] = 12.5
    progress.answered(25, 25)
    # 2 requests/s; question 1 still needs 15, the two untouched ones 20 each.
    assert stream.getvalue() == "1/4 questions closed, 25 requests, 2.0 requests/s, 28 s left\n"


def test_without_a_closed_question_no_time_is_promised() -> None:
    now = [0.0]
    stream = io.StringIO()
    progress = Progress(stream, questions=2, every=1.0, clock=lambda: now[0])
    progress.asked(0)
    now[0] = 2.0
    progress.answered(1, 4)
    assert stream.getvalue() == "0/2 questions closed, 1 requests, 0.5 requests/s\n"


def test_the_report_counts_unreadable_scores_apart_and_names_what_is_open() -> None:
    report = Report(
        "main", "toy", questions=13, asked=3, closed=1, open=[f"q{number}" for number in range(12)]
    )
    report.count("step", Response("a .", Finish.NEWLINE, State.OK, 1, 1))
    report.count("score", Response("0.5", Finish.EOS, State.OK, 1, 1))
    report.count("score", Response("maybe", Finish.EOS, State.OK, 1, 1))
    report.failed = Counter({"no route": 2})
    told = "\n".join(report.lines())
    assert "main on toy: 1 of 13 questions closed" in told
    assert "steps: ok 1\nscores: ok 1, unparsable 1" in told
    assert "failed 2 times, to be asked again by another run: no route" in told
    assert "q9 and 2 more" in told and "q10" not in told
