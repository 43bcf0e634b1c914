"""Has a model judge sentences in another language, when code cannot compare their names with the quotes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hopline.errors import Permanent
from workers.core.errors import BudgetExceeded
from workers.core.ports import Model
from workers.core.prompts import load_prompt
from workers.critic.context import Source
from workers.critic.schema import TranslationVerdicts

NOT_CHECKED = "translated: names not checked"
_REPLY_TOKENS = 2048
_CITED = 24_000  # characters of what the sentences of one call cite

Key = tuple[str, tuple[int, ...]]  # a sentence and the numbers of the evidence that it cites


@dataclass
class Judged:
    """The fast model's verdicts on an answer's translated sentences, requested once per draft.

    A sentence without a verdict is kept and marked, including when the model could not be called. The model
    sees everything that a sentence cites; a sentence that cites more than fits into the call is left out.
    """

    model: Model
    _why: dict[Key, str | None] = field(default_factory=dict)  # None: carried
    _asked: set[Key] = field(default_factory=set)

    def judge(self, sentences: Mapping[Key, Sequence[Source]]) -> bool:
        """Have new sentences judged; return whether any of them is not supported."""
        new = {key: _cited(sources) for key, sources in sentences.items() if key not in self._asked}
        self._asked.update(new)
        if fitting := _fitting(new):
            self._ask(fitting)
        return any(self._why.get(key) for key in sentences)

    def _ask(self, sentences: Mapping[Key, Sequence[str]]) -> None:
        asked = list(sentences)
        material = {
            "sentences": [
                {"n": n, "sentence": key[0], "quotes": sentences[key]} for n, key in enumerate(asked, 1)
            ]
        }
        prompt = load_prompt("workers.critic", "judge_translation")
        try:
            reply = self.model.ask(prompt, material, TranslationVerdicts, max_tokens=_REPLY_TOKENS).value
        except (Permanent, BudgetExceeded):
            return
        for verdict in reply.verdicts:
            if 1 <= verdict.n <= len(asked):
                key = asked[verdict.n - 1]
                self._why[key] = None if verdict.carried else _reason(key[0], verdict.wrong)

    def fault(self, key: Key) -> str | None:
        """Return why a sentence is not supported; None if it is, or was not judged."""
        return self._why.get(key)

    def has_checked(self, key: Key) -> bool:
        """Return whether a sentence was judged."""
        return key in self._why


def _cited(sources: Iterable[Source]) -> list[str]:
    return list(dict.fromkeys(source.stands for source in sources))


def _fitting(sentences: Mapping[Key, Sequence[str]]) -> dict[Key, Sequence[str]]:
    """Return the sentences whose texts fit into one call, in their order; a longer one makes room."""
    left, fitting = _CITED, dict[Key, Sequence[str]]()
    for key, cited in sentences.items():
        needed = sum(map(len, cited))
        if needed <= left:
            left -= needed
            fitting[key] = cited
    return fitting


def _reason(sentence: str, wrong: Iterable[str]) -> str:
    words = ", ".join(word for word in wrong if word and word in sentence)
    if not words:
        return "the cited text, which is in another language, does not say that"
    return f"not in the cited text, which is in another language: {words}"
