"""From a reasoning trace to the letter of an option, or None: rules first, and only rules.

The rules stand in the order of their strength. A declaration ("the answer is B") beats every mention, the
last declaration beats earlier ones, and what two options satisfy equally is no answer. Nothing is ever
guessed: a letter drawn at random, or the first letter of a sentence ("A cat ..."), would be credited as
reasoning.

Belongs here: reading one text. Does not belong here: whether the letter is right, extraction by a model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """Which rule gave the answer, or why there is none."""

    LETTER = "letter"
    """The text is nothing but a letter, or a letter with its own option's text."""
    DECLARED = "declared"
    """The text declares its answer, by letter or by the option's text."""
    MENTIONED = "mentioned"
    """Exactly one bracketed letter is mentioned and not denied."""
    TEXT = "text"
    """Exactly one option's text occurs and is not denied: in the last line, or else in the whole."""
    AMBIGUOUS = "ambiguous"
    NOT_AN_OPTION = "not_an_option"
    """A letter is declared that the question does not offer."""
    EMPTY = "empty"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The letter of an option, or None, and the rule that decided."""

    letter: str | None
    rule: Rule


_WRAP = r"(?:[\s*_`\"'\[({$]|\\(?:boxed|text|mathbf)\s?\{){0,20}"
"""What may stand between "answer:" and the letter: blanks, markdown, brackets, LaTeX boxes. Bounded, as all
repetitions here, so that a degenerate reply of thousands of equal characters is read in linear time."""
_UNWRAP = r"[\s*_`\"'\])}$]{0,20}"
_DECLARATION = re.compile(
    r"(?:\banswer\b[\s*_]{0,9}(?:\bis\b|\bwould be\b|\bshould be\b|\bmust be\b|[:=])[\s*_:=]{0,9}"
    r"|\b(?:correct|right|best)\s+(?:option|choice)\b[\s*_]{0,9}(?:\bis\b|[:=])[\s*_:=]{0,9}"
    r"|\bI\s+(?:choose|pick|select)\b\s?"
    r"|(?=\\boxed\s?\{))"
    r"(?:\b(?:option|choice|letter)\b)?",
    re.IGNORECASE,
)
_OPTION_IS_RIGHT = re.compile(
    r"\b(?:option|choice|answer)\s*\(?(?P<letter>[A-Za-z])\)?\s+is\s+(?:the\s+)?(?:correct|right|best)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(rf"{_WRAP}(?P<letter>[A-Za-z])(?![A-Za-z0-9'’])(?P<after>{_UNWRAP})")
_ANOTHER = re.compile(r"\s*(?:/|&|\+|,|,?\s*\b(?:and|or)\b)\s*[*(\[]{0,9}(?P<letter>[A-Z])(?![A-Za-z0-9'’])")
_SEVERAL = re.compile(rf"{_WRAP}(?P<letters>[A-Z]{{2,}})(?![A-Za-z0-9])")
_ARTICLE_THEN_WORD = re.compile(
    r"\s+(?!because\b|since\b|as\b|not\b|which\b|for\b|due\b|and\b|or\b)[a-z]", re.ASCII
)
"""After "A": a word that makes it an article ("A cat"), unless the word starts a reason."""
_BRACKETED = re.compile(r"\((?P<letter>[A-Z])\)|\*\*(?P<bold>[A-Z])\*\*")
_WORD = re.compile(r"[^\W_]+(?:['.,][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_DENIES = frozenset(("not", "never", "neither", "nor", "cannot", "wrong", "incorrect", "false", "eliminated"))
_WORDS_BEFORE = 3
"""How far a denial reaches forward: "not on the left" denies "left", "but" ends it."""
_ABSTENTION = re.compile(
    r"\b(?:cannot|can['’]t|can not|unable to|impossible to|not possible to|hard to|difficult to|do(?:es)? not"
    r"|don['’]t|not sure|unsure|unclear)\b(?:\s+\w+){0,2}?\s*"
    r"\b(?:determin\w*|tell|say|know|see|identify|decide|answer|whether|if)\b",
    re.IGNORECASE,
)
_OF_THE_ABOVE = re.compile(
    r"\b(?:none|neither|any|all|both|either)\s+of\s+(?:the\s+)?(?:above|below|options|choices|these|those)\b",
    re.IGNORECASE,
)


def parse_answer(text: str, options: Mapping[str, str]) -> ParsedAnswer:
    """The answer that `text` gives to a question with these options (letter to text; letters are upper case).

    Case, punctuation and markdown do not matter. Never raises: every text has a result.
    """
    text = "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
    if not text:
        return ParsedAnswer(None, Rule.EMPTY)
    last_line = text.splitlines()[-1]
    return (
        _bare(text, options)
        or _declared(text, options)
        or _bare(last_line, options)
        or _mentioned(last_line, options)
        or _by_text(last_line, options)
        or _by_text(text, options)
        or ParsedAnswer(None, Rule.NOTHING)
    )


def _bare(text: str, options: Mapping[str, str]) -> ParsedAnswer | None:
    """Nothing but a letter ("**B**", "(b)."), a letter with its option ("B. right"), or an option's text."""
    by_text = _equal_to(text, options)
    if by_text is not None:
        return ParsedAnswer(by_text, Rule.TEXT)
    match = _LETTER.match(text)
    letter = match["letter"].upper() if match else ""
    if match is None or letter not in options:
        return None
    rest = text[match.end() :]
    if not _words(rest) or _words(rest) == _words(options[letter]):
        return ParsedAnswer(letter, Rule.LETTER)
    return _contradicted(letter, rest, options)


def _declared(text: str, options: Mapping[str, str]) -> ParsedAnswer | None:
    """The last declaration that says something."""
    found: list[tuple[int, ParsedAnswer]] = []
    for match in _DECLARATION.finditer(text):
        answer = _declaration(text[match.end() :], options)
        if answer is not None:
            found.append((match.start(), answer))
    found += [
        (match.start(), _offered(match["letter"].upper(), options))
        for match in _OPTION_IS_RIGHT.finditer(text)
    ]
    return max(found, key=lambda entry: entry[0])[1] if found else None


def _declaration(rest: str, options: Mapping[str, str]) -> ParsedAnswer | None:
    """What follows "the answer is": an option's text, a letter, or a sentence in which one option occurs."""
    sentence = _SENTENCE_END.split(rest.lstrip(), maxsplit=1)[0]
    by_text = _equal_to(sentence, options)
    if by_text is not None:
        return ParsedAnswer(by_text, Rule.DECLARED)
    several = _SEVERAL.match(sentence)
    if several is not None and options.keys() >= set(several["letters"]):
        return ParsedAnswer(None, Rule.AMBIGUOUS)
    match = _LETTER.match(sentence)
    if match is not None and not _is_word(match, sentence):
        another = _ANOTHER.match(sentence, match.end())
        if another is not None and another["letter"] in options:
            return ParsedAnswer(None, Rule.AMBIGUOUS)
        letter = match["letter"].upper()
        return _contradicted(letter, sentence[match.end() :], options) or _offered(letter, options)
    letters = _occurring(sentence, options)
    return ParsedAnswer(letters.pop(), Rule.DECLARED) if len(letters) == 1 else None


def _contradicted(letter: str, rest: str, options: Mapping[str, str]) -> ParsedAnswer | None:
    """Ambiguous when nothing but another option's text follows: "(B) left" where A is left."""
    other = _equal_to(rest, options)
    return ParsedAnswer(None, Rule.AMBIGUOUS) if other is not None and other != letter else None


def _mentioned(line: str, options: Mapping[str, str]) -> ParsedAnswer | None:
    """The one bracketed letter of the line that stands in no denying sentence."""
    letters = {
        match["letter"] or match["bold"]
        for sentence in _assertions(line)
        if not _DENIES.intersection(_words(sentence)) and "n't" not in sentence.replace("’", "'")
        for match in _BRACKETED.finditer(sentence)
    }
    offered = letters & options.keys()
    return ParsedAnswer(offered.pop(), Rule.MENTIONED) if len(offered) == 1 else None


def _by_text(text: str, options: Mapping[str, str]) -> ParsedAnswer | None:
    """The one option whose text occurs."""
    letters = _occurring(text, options)
    if len(letters) > 1:
        return ParsedAnswer(None, Rule.AMBIGUOUS)
    return ParsedAnswer(letters.pop(), Rule.TEXT) if letters else None


def _occurring(text: str, options: Mapping[str, str]) -> set[str]:
    """Letters of the options whose text occurs, as whole words and not denied, in what the text asserts.

    Longer options are looked for first and cover their words, so "upper left" is not also "left".
    """
    wanted = [(_words(option), letter) for letter, option in options.items()]
    wanted.sort(key=lambda entry: -len(entry[0]))
    letters: set[str] = set()
    for sentence in _assertions(text):
        words = _words(sentence)
        covered = [False] * len(words)
        for option, letter in wanted:
            for start in _positions(option, words):
                span = slice(start, start + len(option))
                if any(covered[span]) and not _same_option(option, letter, letters, options):
                    continue
                covered[span] = [True] * len(option)
                if not _denied(words, start, start + len(option)):
                    letters.add(letter)
    return letters


def _same_option(option: list[str], letter: str, letters: set[str], options: Mapping[str, str]) -> bool:
    """Whether another option with the very same text was found: then both occur."""
    return any(other != letter and _words(options[other]) == option for other in letters)


def _positions(option: list[str], words: list[str]) -> list[int]:
    if not option:
        return []
    return [
        start for start in range(len(words) - len(option) + 1) if words[start : start + len(option)] == option
    ]


def _denied(words: list[str], start: int, end: int) -> bool:
    """Whether words [start, end) are denied: "not on the left", "rather than left", "left is wrong"."""
    before = words[max(0, start - _WORDS_BEFORE) : start]
    if "but" in before:
        before = before[len(before) - before[::-1].index("but") :]
    if _DENIES.intersection(before) or any(word.endswith("n't") for word in before):
        return True
    if before[-2:] in (["rather", "than"], ["instead", "of"]):
        return True
    after = words[end : end + 2]
    return after[:1] == ["isn't"] or (after[:1] == ["is"] and bool(_DENIES.intersection(after[1:])))


def _assertions(text: str) -> list[str]:
    """The sentences that assert something: without abstentions, and without "none of the above"."""
    sentences = _SENTENCE_END.split(_OF_THE_ABOVE.sub(" ", text))
    return [sentence for sentence in sentences if not _ABSTENTION.search(sentence)]


def _is_word(match: re.Match[str], rest: str) -> bool:
    """Whether the letter is the article "a" or the pronoun "I"."""
    return match["letter"] in "AaIi" and _ARTICLE_THEN_WORD.match(rest, match.end("letter")) is not None


def _offered(letter: str, options: Mapping[str, str]) -> ParsedAnswer:
    return (
        ParsedAnswer(letter, Rule.DECLARED) if letter in options else ParsedAnswer(None, Rule.NOT_AN_OPTION)
    )


def _equal_to(text: str, options: Mapping[str, str]) -> str | None:
    """The letter of the only option with this text, up to case and punctuation."""
    words = _words(text)
    letters = [letter for letter, option in options.items() if words and _words(option) == words]
    return letters[0] if len(letters) == 1 else None


def _words(text: str) -> list[str]:
    """Words and numbers in lower case, without punctuation around them."""
    return _WORD.findall(text.casefold().replace("’", "'"))
