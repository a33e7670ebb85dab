"""Parsers of replies: from text to a score or an answer, or to a named reason why there is none."""

from verdict_assets.inference.parse.answer import ParsedAnswer, Rule, parse_answer
from verdict_assets.inference.parse.score import Missing, ParsedScore, parse_score

__all__ = ["Missing", "ParsedAnswer", "ParsedScore", "Rule", "parse_answer", "parse_score"]
