"""Derives a tools query's state from the results of its phases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hopline.models.jobs import Json
from workers.core.answers.evidence import fact_key, fitting
from workers.core.answers.lexical_rank import overlap, question_terms
from workers.core.answers.turn import Turn
from workers.core.jobs.flow import Results, done_of, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Job
from workers.core.language.numerals import numbers
from workers.core.language.text import words
from workers.core.models.tools import FoundBy
from workers.core.records import QuotedFact, RankedFact, ScoredFact
from workers.critic.check_answer import CheckResult, ToolResult
from workers.critic.synthesize import WritingInput
from workers.traverse.question import PLANNING, SCORE, failure_of, scored_keys, unsure_scores, with_scores
from workers.traverse.tools.records import CallResult, ChosenCall, NormaliseResult, RouteResult
from workers.traverse.tools.route import RUN_TOOL

ROUTE: Final = "traverse.choose_tools"
CHECK: Final = "critic.check_answer"
_FACTS = 150  # that go on at most, in the order in which they were asked for
# Limits of JSON: together less than an item's input may have.
_FACTS_BYTES = 100 * 1024
_CALLS_BYTES = 50 * 1024
_CHECKED_BYTES = 150 * 1024
_ANSWERED_BYTES = 60 * 1024
_SCORED = 30  # facts that critics see in a round
# By the code: between a step on the way (0.7) and the answer itself (1.0), as critics score.
_LOOKED_UP = 0.8
_FOUND = 4000  # characters of one result that the answer critic sees
_TRIED = 6  # calls that the reason for abstaining names
_ANSWERED = 600  # characters of one result that later rounds see
_WORDED = 400  # characters of a question or of arguments, where they are told beside what was found
_PARTS = 24  # sub-questions that the critics and the writer see
_LISTED = 60  # calls that the details list
_AGAIN = 0.5  # of the words of a part, in a later question that asks it again


@dataclass(frozen=True)
class AskedCall:
    """A tool call that was requested."""

    round: int
    question: str  # that it was first asked for
    call: ChosenCall
    result: CallResult | None  # None where it was not done
    error: str | None  # why it was given up

    @property
    def facts(self) -> tuple[QuotedFact, ...]:
        """The rows that the call found."""
        return self.result.facts if self.result else ()


def normalised(results: Results, job: Job) -> NormaliseResult:
    """Return the normalised question; if there is none, the question itself."""
    done = results.get(PLANNING, ())
    if done and (result := result_of(done[0], NormaliseResult)):
        return result
    question = QueryParams.read_stored(job.params).question
    return NormaliseResult(question=question, sub_questions=(question,), history=())


def routes_of(results: Results) -> list[RouteResult]:
    """Return the choices of tools, by round and then in the order of the sub-questions."""
    done = sorted(done_of(results, ROUTE), key=lambda done: _numbers(done.item_id))
    return list(filter(None, (result_of(each, RouteResult) for each in done)))


def _numbers(item_id: str) -> tuple[int, ...]:
    return tuple(int(part) for part in item_id.split(":")[1:])


def round_of(results: Results) -> int:
    """Return the number of rounds started."""
    return max((int(done.item_id.split(":")[1]) for done in done_of(results, ROUTE)), default=0)


def list_calls(results: Results) -> list[AskedCall]:
    """Return the calls that were requested, each once."""
    ended = {done.item_id: done for done in done_of(results, RUN_TOOL)}
    calls: dict[str, AskedCall] = {}
    for route in routes_of(results):
        for call in route.calls:
            if call.id not in calls:
                done = ended.get(call.id)
                result = result_of(done, CallResult) if done else None
                error = done.error if done else None
                calls[call.id] = AskedCall(route.round, route.question, call, result, error)
    return list(calls.values())


def tool_facts(results: Results, job: Job) -> list[RankedFact]:
    """Return the raw facts that tools found, each once, in the order of asking, at most 150.

    If there are more, every call keeps its first ones, starting with the latest round: its questions were the
    ones still open.
    """
    whole_question = normalised(results, job)
    wanted = question_terms(whole_question.question, tuple(sub_questions(results, job)))
    facts = _all_facts(results)
    kept = _shared(facts) if len(facts) > _FACTS else set(facts)
    return [
        RankedFact(**dict(_placed(fact, nth)), search_score=round(overlap(wanted, fact.fact_text), 4))
        for nth, (key, (_call, _round, fact)) in enumerate(facts.items())
        if key in kept
    ]


def _all_facts(results: Results) -> dict[str, tuple[int, int, QuotedFact]]:
    """Return by key the number of the call that found a fact first, its round, and the fact."""
    facts: dict[str, tuple[int, int, QuotedFact]] = {}
    for number, call in enumerate(list_calls(results)):
        for fact in call.facts:
            facts.setdefault(fact_key(fact.fact_text), (number, call.round, fact))
    return facts


def _shared(facts: Mapping[str, tuple[int, int, QuotedFact]]) -> set[str]:
    """Return the keys of the facts to keep: one of each call in turn, the latest round first."""
    turns: Counter[int] = Counter()
    ranked = []
    for key, (call, number, _fact) in facts.items():
        ranked.append((turns[call], -number, call, key))
        turns[call] += 1
    return {key for *_order, key in sorted(ranked)[:_FACTS]}


def _placed(fact: QuotedFact, nth: int) -> QuotedFact:
    """Return a fact with its position in the order of calls, if it came from the graph."""
    if fact.place is None:
        return fact
    return fact.model_copy(update={"place": fact.place.model_copy(update={"nth": nth})})


def scored_tool_facts(results: Results, job: Job) -> list[ScoredFact]:
    """Return the facts that tools found, with scores.

    A fact that no critic was given has the code's score if it was looked up. If critics were given other
    facts of its call, it is beyond the 30 of its round: it gets the lowest score that they gave, so that the
    rows of a table keep their order.
    """
    facts = with_scores(tool_facts(results, job), results, job)
    exact, calls = _looked_up(results), {key: call for key, (call, *_) in _all_facts(results).items()}
    least: dict[int, float] = {}
    for fact in facts:
        if fact.scored_by != "unscored":  # by a critic, or one that failed
            call = calls[fact_key(fact.fact_text)]
            least[call] = min(fact.score, least.get(call, 1.0))
    return [_scored_by_code(fact, fact_key(fact.fact_text), exact, calls, least) for fact in facts]


def _scored_by_code(
    fact: ScoredFact,
    key: str,
    exact: Collection[str],
    calls: Mapping[str, int],
    least: Mapping[int, float],
) -> ScoredFact:
    if fact.scored_by != "unscored":
        return fact
    if key in exact:
        return fact.model_copy(update={"score": _LOOKED_UP, "scored_by": "default", "looked_up": True})
    if calls[key] in least:
        return fact.model_copy(update={"score": least[calls[key]], "scored_by": "default"})
    return fact


def _looked_up(results: Results) -> frozenset[str]:
    """Return the keys of the facts that exact look-ups found."""
    exact = (call for call in list_calls(results) if call.result and call.result.exact)
    return frozenset(fact_key(fact.fact_text) for call in exact for fact in call.facts)


def sub_questions(results: Results, job: Job) -> list[str]:
    """Return all sub-questions of all rounds."""
    later = [question for _id, check in checks_of(results) for question in check.missing]
    return list(dict.fromkeys([*normalised(results, job).sub_questions, *later]))[:_PARTS]


def checks_of(results: Results) -> list[tuple[str, CheckResult]]:
    """Return (item id, result) of the answer critic's checks, one after each round."""
    checks = ((done.item_id, result_of(done, CheckResult)) for done in done_of(results, CHECK))
    return [(name, check) for name, check in checks if check]


def writing_input(results: Results, job: Job, open_parts: Sequence[str]) -> WritingInput:
    """Return the input of the writing step, within the size limit of an item, best facts first."""
    scored = sorted(scored_tool_facts(results, job), key=lambda fact: -fact.score)
    facts = fitting(scored, _FACTS_BYTES)
    return WritingInput(
        question=normalised(results, job).question,
        sub_questions=tuple(sub_questions(results, job)),
        open_parts=tuple(open_parts),
        facts=tuple(facts),
        calls=describe_calls(results, job, {fact.place.call for fact in facts if fact.place}),
    )


def describe_calls(results: Results, job: Job, needed: Collection[str]) -> dict[str, FoundBy]:
    """Return descriptions of how facts were found, by call.

    Of a call's search words, only those are shown that the user used or that occur in the tools' findings: a
    sentence must not rest on a word that only a model introduced.
    """
    if not needed:
        return {}
    text = _known(results, job)
    known, figures = frozenset(words(text)), frozenset(numbers(text))
    calls = []
    for call in list_calls(results):
        if call.call.id in needed and call.result:
            by = call.result.by
            by = by.model_copy(update={"words": _known_words(by.words, known, figures)})
            calls.append((call.call.id, by))
    return dict(fitting(calls, _CALLS_BYTES))


def _known(results: Results, job: Job) -> str:
    turns = normalised(results, job).history
    facts = [fact for _, _, fact in _all_facts(results).values()]
    texts = [fact.place.said if fact.place else fact.fact_text for fact in facts]
    talk = [f"{turn.question}\n{turn.answer}" for turn in turns]
    return "\n".join([QueryParams.read_stored(job.params).question, *talk, *texts])


def _known_words(text: str, known: frozenset[str], figures: frozenset[str]) -> str:
    """Return the words and numbers of a text that are among the known ones."""
    kept = [word for word in text.split() if (parts := words(word)) and known.issuperset(parts)]
    return " ".join([*kept, *(written for value, written in numbers(text).items() if value in figures)])


def collect_results(results: Results, room: int = _FOUND, most: int = _CHECKED_BYTES) -> list[ToolResult]:
    """Return the findings of each call, within a size limit; the latest are kept.

    Args:
        results: results of the phases so far.
        room: maximum number of characters per call.
        most: maximum number of bytes in total.
    """
    tool_results = [
        ToolResult(
            question=call.question[:_WORDED],
            tool=call.call.tool,
            arguments=_worded(call.call.arguments),
            found=describe_result(call)[:room],
        )
        for call in list_calls(results)
    ]
    return fitting(tool_results[::-1], most)[::-1]


def answers_so_far(results: Results) -> tuple[Turn, ...]:
    """Return each call's question and findings, as shown when tools are chosen in a later round."""
    tool_results = collect_results(results, _ANSWERED, _ANSWERED_BYTES)
    return tuple(
        Turn(question=tool_result.question, answer=tool_result.found) for tool_result in tool_results
    )


def describe_result(call: AskedCall) -> str:
    """Return the findings of a call, or the reason why there are none."""
    result = call.result
    if result is None:
        return call.error or "it was not finished"
    texts = [result.markdown, "" if result.note in result.markdown else result.note]
    return "\n\n".join(filter(None, texts)) or "nothing"


def read_direct_answer(results: Results) -> str:
    """Return the answer given without the graph; "" if the graph was queried or there is no answer."""
    routes = routes_of(results)
    if any(route.calls for route in routes):
        return ""
    return " ".join(dict.fromkeys(route.said for route in routes if route.said is not None))


def routes_failed(results: Results) -> list[str]:
    """Return why tools could not be chosen, one reason per sub-question."""
    return [why for done in done_of(results, ROUTE) if (why := failure_of(done))]


def tried(results: Results) -> str:
    """Describe the calls that were tried, as the reason why there is no answer."""
    calls = list_calls(results)
    if not calls:
        hint = "is the database that they ask there? `hopline status` and `hopline tools schema` tell"
        return f"none could be chosen in time; {hint}."
    reasons = [
        f"{call.call.tool}({_worded(call.call.arguments)}): {_why_nothing(call)}" for call in calls[:_TRIED]
    ]
    more = f"; and {len(calls) - _TRIED} more" if len(calls) > _TRIED else ""
    return f"tried {'; '.join(reasons)}{more}"


def _worded(arguments: Json) -> str:
    return ", ".join(f"{name}={value}" for name, value in arguments.items())[:_WORDED]


def _why_nothing(call: AskedCall) -> str:
    if call.result is None:
        return (call.error or "not finished")[:200]
    count = len(call.facts)
    return f"{count} found" if count else (call.result.note or "nothing found")[:200].rstrip(".")


def report_calls(results: Results) -> list[Json]:
    """Return the tool calls of each round, with the Cypher that ran."""
    return [
        {
            "round": call.round,
            "question": call.question,
            "tool": call.call.tool,
            "arguments": call.call.arguments,
            "facts": len(call.facts),
            "note": (call.result and call.result.note) or call.error or "",
            "cypher": call.result.by.cypher if call.result else None,
        }
        for call in list_calls(results)[:_LISTED]
    ]


def report_failures(results: Results, facts: Sequence[ScoredFact]) -> Json:
    """Return errors on the way, with reasons and counts."""
    failures: Json = dict(_failed_heads(results))
    refused = [call.model_dump() for route in routes_of(results) for call in route.refused]
    if refused:
        failures["calls_refused"] = refused[:_LISTED]
    calls = list_calls(results)
    failed = [call for call in calls if call.result is None or call.result.failed]
    if failed:
        why = [{"tool": call.call.tool, "reason": _why_nothing(call)} for call in failed]
        failures["tools_failed"] = {"count": len(failed), "items": why[:_LISTED]}
    left_out = sum(call.result.left_out for call in calls if call.result)
    left_out += max(0, len(_all_facts(results)) - _FACTS)
    return failures | ({"rows_left_out": left_out} if left_out else {}) | unsure_scores(facts)


def _failed_heads(results: Results) -> Iterator[tuple[str, str]]:
    for name, done in (("plan_failed", results.get(PLANNING, ())), ("check_failed", done_of(results, CHECK))):
        reasons = [failure_of(item) for item in done]
        yield from ((name, why) for why in reasons[:1] if why)
    if any(route.searched_instead for route in routes_of(results)):
        yield "searched_instead", "no tool was chosen for a part, so the documents were searched for it"


def to_score(results: Results, job: Job) -> list[RankedFact]:
    """Return the latest round's findings for its critics: at most 30 facts, best first.

    Exact look-ups are not among them, nor facts that a critic was already given.
    """
    seen = {key for done in done_of(results, SCORE) for key in scored_keys(done.item_id)}
    seen |= _looked_up(results)
    latest = round_of(results)
    new = {key for key, (_call, number, _fact) in _all_facts(results).items() if number == latest} - seen
    facts = [fact for fact in tool_facts(results, job) if fact_key(fact.fact_text) in new]
    return sorted(facts, key=lambda fact: -fact.search_score)[:_SCORED]


def lost_parts(results: Results, job: Job) -> list[str]:
    """Return the sub-questions without tools: failed, dropped, or beyond the limit on calls."""
    chosen = {route.question for route in routes_of(results)}
    return [question for question in sub_questions(results, job) if question not in chosen]


def check_id(number: int) -> str:
    """Return the item id of the answer critic after a round, numbered from 1."""
    return f"check:{number}"


def missing_after(number: int, results: Results) -> list[str]:
    """Return the open sub-questions according to the answer critic of a round."""
    checks = [check for name, check in checks_of(results) if name == check_id(number)]
    return [] if not checks or checks[0].complete else list(checks[0].missing)


def _list_parts_given_up(results: Results) -> list[str]:
    """Return the parts that the answer critic of the last round gave up."""
    last = check_id(round_of(results))
    return [part for name, check in checks_of(results) if name == last for part in check.given_up]


def open_parts(results: Results, job: Job) -> list[str]:
    """Return the sub-questions without results, including those of their replacements.

    Those of the first round are parts of the question itself. If a part's own calls found nothing, it may
    have been asked again in other words in a later round: it counts as open unless a later question with
    findings covers most of it. Also open is anything that the answer critic still misses, or gave up, after
    the last round.
    """
    parts = normalised(results, job).sub_questions
    useful = [call for call in list_calls(results) if call.facts]
    later = [call.question for call in useful if call.round > 1]
    answered = {call.question for call in useful}
    replied = {route.question for route in routes_of(results) if route.said is not None}
    unanswered = [
        part
        for part in parts
        if part not in answered | replied and not any(_asks_again(part, question) for question in later)
    ]
    missed = [*missing_after(round_of(results), results), *_list_parts_given_up(results)]
    return unanswered + [
        question for question in missed if not any(_asks_again(part, question) for part in unanswered)
    ]


def _asks_again(part: str, question: str) -> bool:
    return overlap(question_terms(part, ()), question) >= _AGAIN
