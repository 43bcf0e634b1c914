"""What a survey looked at, of how much, and how it says so."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.words import counted
from workers.core.language.text import CHINESE


class TopicSeen(Frozen):
    """A topic of the coarsest level in the coverage."""

    id: str
    name: str
    facts: int  # looked at; 0 where it was not
    hits: int = 0  # that help


class Coverage(Frozen):
    """What a survey looked at, of how much there is."""

    documents: int
    of_documents: int
    topics: int  # of the coarsest level
    of_topics: int  # 0 where the collection has none
    facts: int
    of_facts: int
    hits: int  # facts that help
    since: int  # documents, at least, that came after the topics were built
    looked_at: tuple[TopicSeen, ...]  # best first
    not_looked_at: tuple[TopicSeen, ...]  # the best of them

    def line(self, question: str) -> str:
        """Return the coverage in words, Chinese for a Chinese question and otherwise English."""
        names = [topic.name for topic in self.not_looked_at]
        if CHINESE.search(question):
            return self._in_chinese("；".join(names))
        facts = _of(self.facts, self.of_facts, "fact")
        documents = _of(self.documents, self.of_documents, "document")
        topics = f"from {_of(self.topics, self.of_topics, 'topic')}"
        if not self.of_topics:
            topics = "which searches found: the collection has no topics yet"
        parts = [f"Looked at {facts} in {documents}, {topics}."]
        parts += [f"Not looked at: {'; '.join(names)}."] if names else []
        if self.since:
            parts.append(f"At least {counted(self.since, 'document')} came after the topics were built.")
        return " ".join(parts)

    def _in_chinese(self, names: str) -> str:
        documents = f"{max(self.documents, self.of_documents):,} 篇文档中的 {self.documents:,} 篇"
        facts = f"{max(self.facts, self.of_facts):,} 条事实中的 {self.facts:,} 条"
        topics = f"涉及 {max(self.topics, self.of_topics):,} 个主题中的 {self.topics:,} 个"
        if not self.of_topics:
            topics = "均由检索得到：该集合还没有主题"
        line = f"查看了 {documents}、{facts}，{topics}。"
        line += f"未查看：{names}。" if names else ""
        return line + (f"主题生成之后至少新增了 {self.since:,} 篇文档。" if self.since else "")


def _of(some: int, whole: int, what: str) -> str:
    return f"{some:,} of {counted(max(some, whole), what)}"
