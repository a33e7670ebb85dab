"""Parsers of replies: from text to a score or an answer, or to a named reason why there is none."""
