"""Follows Chinese statements step by step from the names in a question to its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CHARACTERS = re.compile(r"[\u3400-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_ASKING = re.compile("为什么|什么|哪里|哪儿|哪个|哪些|哪一|哪位|哪座|哪|谁|怎么|怎样|如何|多少|几")
_EMPTY = frozenset("的是在于由了和与吗呢所有么为一个座位条上中里地者人")
_LONGEST = 4
_SHORTEST = 2  # characters of a name
_ENOUGH = 0.6  # of a question's characters that the steps must speak of
# What stands between names: particles, adverbs, common verbs, question words.
_BETWEEN = re.compile(
    "[，。、；：？！“”‘’（）《》\\s]|[由在于的是和与及了为被把从到有所跨向对以将]|[一两三这那每各某][座条个位家所年天次名本]"
    "|(?:横跨|流入|流经|注入|汇入|设计|修建|建造|建成|兴建|出生|去世|逝世|死于|举办|举行|创办|创立|创建|成立|建立|位于|坐落|属于|隶属"
    "|住|居住|担任|毕业|就读|任教|教授|发明|发现|写作|撰写|创作|拥有|经营|生产|制造|出产|领导|娶|嫁|认识|拜师|学习|工作|获得|来自|前往"
    "|开通|开放|启用|供水|供给|俯瞰|连接|通往|经过|穿过|负责|签署|签订|订立|收购|包括|包含|今天|现在|后来|曾经|曾|已|也|都|每年|当年|春天|夏天"
    "|秋天|冬天|设在|设于|什么地方|什么时候|什么人|什么名字|什么|哪里|哪儿|哪个|哪些|哪位|哪座|哪年|谁|怎么|如何|为什么|多少|何时|时候|吗|呢)"
)
_OF_PERSON = re.compile(
    "^(?:诗人|作家|画家|工程师|教授|医生|商人|船长|农夫|木匠|石匠|学者|建筑师|将军)(?=.{2,3}$)"
)
_PLAIN = re.compile("[上下里中内外人地]$")
_LONGEST_NAME = 8
_LEAD = re.compile(r"^(?:在|由|从|诗人|作家|画家|工程师|教授|医生)?")


def steps(question: str, texts: Sequence[str]) -> list[int]:
    """Return the positions of the statements that lead to an answer, in order; empty if none do.

    The first begins with a name in the question, each other with a name from the previous one; each covers a
    part of the question that earlier ones do not.
    """
    asked, end = _content(_ASKING.sub("", question)), _asked_last(question)
    best: tuple[float, int, list[int]] = (_ENOUGH, 0, [])
    for chain in _chains(question, asked, texts):
        held = asked.intersection("".join(texts[place] for place in chain))
        if len(end.intersection(texts[chain[-1]])) < _ENOUGH * len(end):
            continue
        share = (len(held) / len(asked), -len(chain), chain)
        if share[:2] > best[:2]:
            best = share
    return best[2]


def is_chinese(text: str) -> bool:
    """Return whether a text is in Chinese, not in Japanese."""
    return bool(_CHARACTERS.search(text)) and not _KANA.search(text)


def names_between(text: str) -> list[str]:
    """Return the possible names in a statement or question: the words between verbs and particles."""
    pieces = (_PLAIN.sub("", _OF_PERSON.sub("", piece)) for piece in _BETWEEN.split(text))
    return [piece for piece in dict.fromkeys(pieces) if _SHORTEST <= len(piece) <= _LONGEST_NAME]


def speaks_of(question: str, text: str) -> bool:
    """Return whether a statement covers a part of the question, by two characters or by the last part."""
    last = _asked_last(question)
    if last and last.issubset(text):
        return True
    pairs = (text[at : at + 2] for at in range(len(text) - 1))
    return any(pair in question and len(_content(pair)) == len(pair) for pair in pairs)


def _asked_last(question: str) -> frozenset[str]:
    """Return the word beside the question word, which the last step must contain: 住 in 住在哪里."""
    match = _ASKING.search(question)
    if match is None:
        return _content(question[-4:])
    before = [mark for mark in question[: match.start()] if _content(mark)]
    return _content("".join(before[-1:]) + question[match.end() :])


def _chains(question: str, asked: frozenset[str], texts: Sequence[str]) -> Iterator[list[int]]:
    begun = [[place] for place, text in enumerate(texts) if _subject(text, question)]
    while begun:
        chain = begun.pop()
        said = "".join(texts[place] for place in chain)
        if len(chain) > 1:
            yield chain
        if len(chain) == _LONGEST:
            continue
        for place, text in enumerate(texts):
            if place in chain:
                continue
            name = _subject(text, texts[chain[-1]])
            if name and name not in question and asked.intersection(text.replace(name, "")) - set(said):
                begun.append([*chain, place])


def _subject(text: str, before: str) -> str:
    """Return the name that a statement begins with if a text before it has it; else nothing."""
    rest = _LEAD.sub("", text)
    end = next((end for end in range(len(rest), 0, -1) if rest[:end] in before), 0)
    name = rest[:end]
    return name if len(_CHARACTERS.findall(name)) >= _SHORTEST else ""


def _content(text: str) -> frozenset[str]:
    return frozenset(_CHARACTERS.findall(text)) - _EMPTY
