"""Replies that need no tool: courtesies, what the conversation holds, and admitting not to know."""

from __future__ import annotations

from workers.core.answers.check import missing_numbers
from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.language.text import sentences, words
from workers.traverse.tools.records import RouteInput

_COURTESIES = frozenset(
    """
    hello hi hey greetings good morning afternoon evening day night welcome thanks thank thx cheers sorry
    pardon goodbye bye please glad happy nice great fine sure yes okay ok well pleasure course help helps
    question questions ask asked asking answer answers know want like feel free let see again anything
    something else today now here earlier above already said told talk talked meet later soon what's
    you're you i'm let's don't me my how can tell graph data documents about things thing holds hold find
    found look may us we hallo guten tag morgen abend danke bitte gern gerne geschehen willkommen tschüss
    auf wiedersehen bonjour bonsoir salut merci rien avec plaisir je vous en prie au revoir bienvenue
    hola buenos buenas días tardes noches gracias nada adiós bienvenido ciao buongiorno grazie prego olá
    obrigado obrigada bom dia tchau hoi dank graag gedaan 你好 您好 谢谢 不客气 再见 早上好 晚上好 请问
    欢迎 こんにちは ありがとう ございます どういたしまして さようなら
    """.split()  # noqa: SIM905 - a list of words reads best
)
# Who says that something cannot be told may name it.
_DECLINING = frozenset(
    """
    not no cannot whether able scope since because can't don't doesn't isn't only outside unable beyond
    nothing none nicht kein keine nur leider pas ne aucun seulement sólo solo no não apenas 不 没有 无法
    只 ない ません
    """.split()  # noqa: SIM905 - a list of words reads best
)
# Characters of courtesies in scripts that put no spaces between words.
_CHARACTERS = frozenset(
    "你您好谢不客气再见早晚上请问欢迎我们能帮助什么吗可以关于的是图谱题回答只想知道有没这个个"
    "こんにちはありがとうございますどういたしまして何をお知りたですか"
)
_SHOWN = 5


def untold(answer: str, question: RouteInput, schema: str) -> str | None:
    """Return why a reply without a tool may not be given: what a model knows by itself is no evidence.

    Every word of a sentence must be a courtesy, or stand in one earlier answer, or in the schema; a sentence
    that declines may also take up the question's words.

    Args:
        answer: what the model wants to say.
        question: that it was asked, with what was said before.
        schema: of the graph, as it saw it.
    """
    earlier = [turn.answer for turn in (*question.history, *question.answers)]
    names = _split(schema)
    claims = f"{question.question}\n{question.whole}"
    for start, end in sentences(answer):
        sentence = answer[start:end]
        declines = not _DECLINING.isdisjoint(sentence.casefold().split()) or _is_among(sentence, _DECLINING)
        known = [*earlier, claims] if declines else earlier
        lacking = min((_lacking(sentence, text, names) for text in [*known, ""]), key=len)
        if lacking:
            words_lacking = ", ".join(lacking[:_SHOWN])
            return f"the conversation does not hold {words_lacking}: find it with a tool, or leave it out"
    return None


def _lacking(sentence: str, known: str, schema: frozenset[str]) -> list[str]:
    """Return the words and numbers of a sentence that neither a known text nor courtesy holds."""
    there = frozenset(words(known)) | schema | _COURTESIES | _DECLINING | STOP_WORDS
    return [
        *missing_numbers(sentence, f"{known} one"),
        *(word for word in words(sentence) if not _held(word, there) and not word.isdigit()),
    ]


def _held(word: str, there: frozenset[str]) -> bool:
    plain = word.casefold().replace("’", "'")
    if not plain.isascii() and not _CHARACTERS.isdisjoint(plain):
        return _CHARACTERS.union(
            *(known_word for known_word in there if not known_word.isascii())
        ).issuperset(plain)
    return plain in there or plain.removesuffix("s") in there or f"{plain}s" in there


def _split(schema: str) -> frozenset[str]:
    """Return the words of labels, types and properties, in parts: ACTED_IN is acted and in."""
    return frozenset(part for word in words(schema) for part in (word, *word.replace("_", " ").split()))


def _is_among(sentence: str, marks: frozenset[str]) -> bool:
    """Return whether a text without spaces between its words holds one of the marks."""
    return any(mark in sentence for mark in marks if not mark.isascii())
