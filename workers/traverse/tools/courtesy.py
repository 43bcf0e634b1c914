"""Replies that need no tool: courtesies, references to the conversation, and admissions of not knowing.

A sentence claims nothing about the world if it is only about the conversation: who asks, who answers, what
can be asked. So each of its clauses must consist of words about conversation, of the schema, or of one
earlier answer. Other words are allowed only where a topic is named ("questions about movies and their cast")
and, in a clause that declines, where the question is named ("I cannot tell whether …"). If the question is
about the world, words of conversation can also answer it ("One.", "At Easter.", "That is correct."): then a
sentence must greet, repeat an earlier answer, or say what one of the two speakers can do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from workers.core.answers.check_numbers import missing_numbers
from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.language.text import CHINESE, sentences, words
from workers.traverse.tools import small_talk as talk
from workers.traverse.tools.records import RouteInput

_SHOWN = 5
_COPULAS = frozenset(("is", "are", "was", "were", "has", "had"))
_MOST_OF_QUESTION = 4  # words of a question that is put as an example
_MOST_OF_TOPIC = 2  # words of a topic that neither schema nor question has
_MOST_HAN = 4  # characters of the same
_LONGEST_HAN = max(map(len, talk.HAN))
_CLAUSE = re.compile(
    r"[;:()—–…!?]|(?<=\s)-(?=\s)|\band (?=(?:i|you|we|he|she|it|they)\b)"
    r"|\b(?:but|because|since|although|though|however|yet|so|while|whereas|therefore"
    r"|that(?!')(?! (?:is|was|would|will|happens)\b))\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[,/]|\b(?:and|or|nor|plus)\b", re.IGNORECASE)
_LIMITED = re.compile(
    r"\b((?:relat|limit|restrict|dedicat|devot|confin)ed|belong(?:ing)?) to\b", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_RELATIVE = re.compile(r"\b(?:who|that|which) [a-z]+ (?:(?:in|on|for|with|at) )?(?:them|it)\b", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"(?P<topic>.+?)(?:\b(?:is|are|lies?|falls?|goes)|(?P<negated>\b(?:is|are)n't))(?: \w+ly)? "
    r"(?:outside|beyond|out of|nothing|(?:(?(negated)|not )(?:something|part|covered|in|within|what)))\b"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_HAN_CLAUSE = re.compile(r"[，,。！？!?；;：:…~～（）()\s]+")
_HAN_ITEM = re.compile(r"[、和与及或跟的]|以及|他们|她们|它们|其")
_HAN_STATING = re.compile(r"[是在为于被了有不没会将已曾\d]")
_HAN_PIECE = re.compile(r"[a-z0-9]+", re.IGNORECASE)


class _Known(NamedTuple):
    """Words that a sentence may say beside courtesies."""

    earlier: str  # one answer; empty where none is said again
    held: frozenset[str]  # words of that and of the schema
    question: str
    asked: frozenset[str]  # words of the question


def untold(answer: str, question: RouteInput, schema: str) -> str | None:
    """Return why a reply without a tool is not allowed; a model's own knowledge is no evidence.

    Args:
        answer: the model's reply.
        question: the question, with the conversation so far.
        schema: schema of the graph, as the model saw it.
    """
    asked = f"{question.question}\n{question.whole}"
    told = [turn.answer for turn in (*question.history, *question.answers)]
    earlier = "\n".join(told)
    is_asked = _asks_of_the_world(asked, question)
    kinds, words_asked = _split(schema), frozenset(words(asked))
    known = [_Known(text, frozenset(words(text)) | kinds, asked, words_asked) for text in (*told, "")]
    for start, end in sentences(answer):
        sentence = answer[start:end]
        lacking = min((_lacking(sentence, each) for each in known), key=len)
        if not lacking and not _repeats(sentence, earlier):
            lacking = _denied(sentence, kinds) or (_answering(sentence) if is_asked else [])
        if lacking:
            words_lacking = ", ".join(lacking[:_SHOWN])
            return f"the conversation does not hold {words_lacking}: find it with a tool, or leave it out"
    return None


def courtesies(answer: str, question: RouteInput, schema: str) -> str:
    """Return the allowed sentences of a reply to a greeting; none if something was asked."""
    if _asks_of_the_world(question.question, question):
        return ""
    parts = (answer[start:end] for start, end in sentences(answer))
    return " ".join(part for part in parts if untold(part, question, schema) is None)


def _asks_of_the_world(asked: str, question: RouteInput) -> bool:
    """Return whether the user asks for more than small talk, or follows up on an earlier answer."""
    if not asked.strip():
        return False
    if (question.history or question.answers) and talk.ASKING.search(asked):
        return not talk.ADDRESSED.search(asked)
    alone = question.model_copy(update={"question": "", "whole": "", "history": (), "answers": ()})
    return untold(asked, alone, "") is not None


def _repeats(sentence: str, earlier: str) -> bool:
    """Return whether a sentence has words of an earlier answer that are not of conversation."""
    if CHINESE.search(sentence):
        pairs = {sentence[at : at + 2] for at in range(len(sentence) - 1)}
        return any(pair in earlier for pair in pairs - talk.HAN)
    said = frozenset(words(sentence)) - STOP_WORDS - talk.TALK
    return not said.isdisjoint(words(earlier))


def _denied(sentence: str, kinds: frozenset[str]) -> list[str]:
    """Return the words that a sentence says are missing from the graph: they must be looked up first.

    kinds: the words of the schema.
    """
    if match := talk.HAN_NONE.search(sentence):
        return [match[0]]
    kinds -= talk.TALK
    for match in talk.NONE_OF.finditer(sentence.replace("’", "'")):
        for word in words(match["rest"]):
            if word in talk.ABOUT:
                break
            if word in kinds or word.removesuffix("s") in kinds:
                return [word]
    return []


def _answering(sentence: str) -> list[str]:
    """Return the words of a conversational sentence that may answer the question."""
    said = words(sentence)
    if sentence.rstrip().endswith(("?", "？")):
        return []
    if CHINESE.search(sentence):
        clauses = list(filter(None, _HAN_CLAUSE.split(sentence)))
        return [
            clause
            for clause in clauses
            if talk.HAN_HOLDING.search(clause) or not talk.HAN_TALKING.search(clause)
        ]
    plain = talk.OPENING.sub("", sentence.replace("’", "'"))
    is_answer = (
        frozenset(said) <= talk.VERDICTS
        or talk.HOLDING.search(plain)
        or not {"one", "two", "three"}.isdisjoint(words(talk.PRONOUN_ONE.sub("", plain)))
        or (words(plain) and not talk.TALKING.search(plain))
        or any(not talk.OF_TALK.search(plain, match.end()) for match in talk.TELLING.finditer(plain))
    )
    return list(said) if is_answer else []


def _lacking(sentence: str, known: _Known) -> list[str]:
    """Return the words and numbers of a sentence that neither a known text nor courtesy holds."""
    missing = [word for clause in _clauses(sentence) for word in _unheld(clause, known)]
    numbers = missing_numbers(sentence, f"{known.earlier}\n{known.question} one two three 一 两 三")
    return [*numbers, *(word for word in missing if word not in numbers)]


def _clauses(sentence: str) -> Iterator[str]:
    plain = re.sub(r"\bas well as\b", "and", sentence.replace("’", "'"), flags=re.IGNORECASE)
    if CHINESE.search(plain) or re.search(r"[\u3040-\u30ff]", plain):
        yield from filter(None, _HAN_CLAUSE.split(plain))
    else:
        yield from _CLAUSE.split(_RELATIVE.sub(" ", _LIMITED.sub(r"\1 about", plain)))


def _unheld(clause: str, known: _Known) -> list[str]:
    """Return the words of a clause that it may not say."""
    if CHINESE.search(clause) or (not clause.isascii() and not _TOKEN.search(clause)):
        return _unheld_han(clause, known)
    lacking: list[str] = []
    before: list[str] = []  # words of the clause so far
    opened = False  # a topic was named: more may follow behind comma, and, or
    for item in _ITEM.split(clause):
        tokens = _TOKEN.findall(item)
        missing = [token for token in tokens if not _is_plain(token, known)]
        begin = _topic_begin(tokens, before, known)
        topic = tokens[begin:] if begin is not None else tokens if opened else []
        opened = opened or begin is not None
        before += (token.casefold() for token in tokens)
        if missing and not (
            (topic and _is_topic(topic, known))
            or _declines(tokens, before[: len(before) - len(tokens)], known)
            or _is_outside(item, known)
            or _asks(tokens, known)
            or _addresses(tokens, missing, known)
        ):
            lacking += missing
    if not lacking and not _COPULAS.isdisjoint(before) and talk.POINTING.isdisjoint(before):
        lacking = before  # nothing in it is of the conversation: Machines are programs
    return [word.casefold() for word in lacking]


def _is_plain(token: str, known: _Known) -> bool:
    word = token.casefold()
    forms = (word, word.removesuffix("s"), f"{word}s", word.removesuffix("'s"))
    return word in STOP_WORDS or any(form in talk.TALK or form in known.held for form in forms)


def _topic_begin(tokens: Sequence[str], before: Sequence[str], known: _Known) -> int | None:
    """Return where a topic begins: after a speaker, a verb of conversation and "about"; None if none does."""
    said = list(before)
    for place, token in enumerate(tokens):
        word = token.casefold()
        opens = word in talk.NAMING or (word in talk.ABOUT and not talk.CONVERSING.isdisjoint(said))
        if opens and not talk.SPEAKERS.isdisjoint(said):
            return place + 1
        if not _is_plain(token, known):
            return None
        said.append(word)
    return None


def _is_topic(tokens: Sequence[str], known: _Known) -> bool:
    """Return whether words name a topic and state nothing: few new ones, no verb, no name of one's own."""
    asked = known.asked
    new = [token for token in tokens if not _is_plain(token, known) and token.casefold() not in asked]
    if any(token.casefold() in talk.STATING for token in tokens):
        return False
    return len(new) <= _MOST_OF_TOPIC and all(
        _is_common(token) and not token.endswith(("ed", "ing")) for token in new
    )


def _is_common(token: str) -> bool:
    return token.islower() and token.removesuffix("'s").replace("-", "").isalpha()


def _asks(tokens: Sequence[str], known: _Known) -> bool:
    """Return whether words say what can be asked: "You can ask how people are connected"."""
    small = [token.casefold() for token in tokens]
    begin = next((nth for nth, word in enumerate(small) if word in talk.ASKED_WITH), 0)
    asks = begin and not {"ask", "asking"}.isdisjoint(small[:begin])
    if not asks or any(not _is_plain(token, known) for token in tokens[:begin]):
        return False
    new = [token for token in tokens[begin:] if not _is_plain(token, known)]
    return len(new) <= _MOST_OF_QUESTION and all(_is_common(token) for token in new)


def _declines(tokens: Sequence[str], before: Sequence[str], known: _Known) -> bool:
    """Return whether the speaker says that they cannot answer, and names the thing asked about."""
    place = next((nth for nth, token in enumerate(tokens) if not _is_plain(token, known)), len(tokens))
    said, rest = {token.casefold() for token in tokens[:place]}, tokens[place:]
    if talk.SPEAKERS.isdisjoint(said) or talk.DECLINING.isdisjoint(said):  # it may be said before a comma
        said = {*before, *said}
        if any(token.casefold() in talk.STATING for token in tokens):
            return False
    return (
        not talk.SPEAKERS.isdisjoint(said)
        and not talk.DECLINING.isdisjoint(said)
        and all(_is_plain(token, known) or token.casefold() in known.asked for token in rest)
    )


def _is_outside(item: str, known: _Known) -> bool:
    """Return whether a sentence says that the question is out of scope."""
    match = _OUTSIDE.fullmatch(item.strip())
    if match is None:
        return False
    topic = _TOKEN.findall(match["topic"])
    return (
        all(_is_plain(token, known) or token.casefold() in known.asked for token in topic)
        and not any(token.casefold() in talk.STATING for token in topic)
        and all(_is_plain(token, known) for token in _TOKEN.findall(match["rest"]))
    )


def _addresses(tokens: Sequence[str], missing: Sequence[str], known: _Known) -> bool:
    """Return whether the only new words are the name at the end of a greeting: Hello Tom."""
    ahead = tokens[: len(tokens) - len(missing)]
    return (
        list(tokens[len(ahead) :]) == list(missing)
        and all(token.istitle() for token in missing)
        and " ".join(missing).casefold() in map(str.casefold, talk.INTRODUCED.findall(known.question))
        and (not ahead or not {token.casefold() for token in ahead} - talk.GREETING - {"you", "there", "to"})
    )


def _unheld_han(clause: str, known: _Known) -> list[str]:
    """Return the rest of a clause in a script without spaces once all permitted phrases are removed."""
    outside = talk.HAN_OUTSIDE.search(clause)
    if outside and _is_asked(clause[: outside.start()], known):
        clause = clause[outside.start() :]
    clause = talk.HAN_ASSISTANT.sub("", clause)
    asking = talk.HAN_ASKING.search(clause)
    if asking and talk.HAN_WANTING.search(clause[: asking.start()]):
        clause = clause[: asking.start("question")]
    if "是" in clause and not talk.HAN_POINTING.search(clause):
        return [clause]
    furthest = 0
    seen: set[tuple[int, bool, bool]] = set()
    stack = [
        (0, bool(talk.HAN_WANTING.search(clause)), False)
    ]  # how far, whether somebody speaks, whether it is declined
    while stack:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        at, speaks, declines = state
        if at == len(clause):
            return []
        furthest = max(furthest, at)
        stack += _steps(clause, at, known, speaks=speaks, declines=declines)
    return [clause[furthest:]]


def _steps(
    clause: str, at: int, known: _Known, *, speaks: bool, declines: bool
) -> Iterator[tuple[int, bool, bool]]:
    latin = _HAN_PIECE.match(clause, at)
    if latin and (_is_plain(latin[0], known) or (declines and latin[0].casefold() in known.asked)):
        yield latin.end(), speaks, declines
    if clause[at] in "、 “”\"'《》「」.-":
        yield at + 1, speaks, declines
    for end in range(at + 1, min(len(clause), at + _LONGEST_HAN) + 1):
        piece = clause[at:end]
        if piece in talk.HAN:
            spoken = speaks or piece in talk.HAN_SPEAKERS
            declined = declines or (spoken and piece in talk.HAN_DECLINING)
            yield end, spoken, declined
            if piece in talk.HAN_TOPIC and (spoken or piece in talk.HAN_ABOUT):
                yield from ((after, spoken, declined) for after in _topic_ends(clause, end, known))
    for end in range(at + 2, len(clause) + 1):  # what was said or asked is repeated
        piece = clause[at:end]
        if piece in known.earlier or piece in known.held or (declines and piece in known.question):
            yield end, speaks, declines


def _topic_ends(clause: str, begin: int, known: _Known) -> Iterator[int]:
    for end in range(begin + 1, len(clause) + 1):
        topic = clause[begin:end]
        ends = end == len(clause) or talk.HAN_TOPIC_ENDS.match(clause, end)
        if (
            ends
            and not _HAN_STATING.search(topic)
            and all(map(partial(_is_han_topic, known), _HAN_ITEM.split(topic)))
        ):
            yield end


def _is_han_topic(known: _Known, item: str) -> bool:
    short = len(talk.HAN_PLACE.sub("", item)) <= _MOST_HAN
    return short or item in known.held or _is_asked(item, known)


def _is_asked(text: str, known: _Known) -> bool:
    """Return whether a text consists of words of the question."""
    pairs = [text[at : at + 2] for at in range(len(text) - 1)]
    return bool(text) and all(pair in known.question or pair in talk.HAN or "的" in pair for pair in pairs)


def _split(schema: str) -> frozenset[str]:
    """Return the words of labels, types and properties, in parts: ACTED_IN is acted and in."""
    return frozenset(part for word in words(schema) for part in (word, *word.replace("_", " ").split()))
