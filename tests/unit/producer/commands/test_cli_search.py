"""`hopline search` and the client's search: limits, exit codes, JSON, what people read."""

import json
from typing import Any

import pytest
from doubles.command_line import Run
from doubles.desk import Desk
from doubles.documents import CURIE, write
from doubles.graph import MemoryGraph

from hopline.models.documents import Chunk, Document
from hopline.models.search import Found, FoundChunk, FoundElement, FoundFact
from workers.core.graph.vectors import Embedder
from workers.search.quotes import quoted

TEXT = (
    "The Clifton Suspension Bridge spans the Avon Gorge. Its toll is one pound. "
    "It was designed by Isambard Kingdom Brunel. Brunel never saw it finished."
)
CHUNK = Chunk(id="c1", index=0, text=TEXT, start=10, end=10 + len(TEXT), tokens=40, content_hash="")
BRIDGE = Document(id="d1", collection="demo", uri="u", title="Clifton \x1b[31m[red] Bridge", content_hash="")
FACTS = (
    ("f1", "It was designed by Isambard Kingdom Brunel.", 1.0),
    ("f2", "The toll of the Clifton Suspension Bridge is one pound.", 0.6),
)
NAMED = FoundElement(id="k1", name="clifton suspension bridge", score=0.3, asked=True)
FOUND = Found(
    question="Where was the designer of the Clifton Suspension Bridge born?",
    chunks=(
        FoundChunk(
            chunk=CHUNK,
            document=BRIDGE,
            score=0.93,
            parts={"walk": 0.0123, "words_asked": 7.25},
            facts=tuple(
                FoundFact(id=name, text=text, chunk_id="c1", score=score) for name, text, score in FACTS
            ),
            elements=(NAMED, FoundElement(id="k2", name="isambard kingdom brunel", score=0.2)),
            reasons=("the question names “clifton suspension bridge”", "second by words"),
        ),
    ),
    elements=(NAMED,),
    seconds={"all": 0.0314, "walk": 0.012},
)


class Played:
    """A search that finds what a test says, and remembers what it was asked."""

    def __init__(self) -> None:
        self.found = FOUND
        self.asked: list[tuple[str, str, int]] = []

    def __call__(self, question: str, collection: str, _ports: object, *, limit: int, **more: Any) -> Found:
        self.asked.append((question, collection, limit))
        self.translations = more["translations"]
        return self.found


@pytest.fixture(autouse=True)
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    search = Played()
    monkeypatch.setattr("workers.search.search.search", search)
    return search


@pytest.fixture
def desk() -> Desk:
    return Desk(graph=MemoryGraph())


@pytest.fixture
def run(run: Run) -> Run:
    return lambda *args: run("search", *args)


def test_search_prints_where_what_and_why_or_one_json_object(run: Run, played: Played) -> None:
    result = run(FOUND.question, "-c", "demo", "--limit", 3)
    assert result.exit_code == 0
    assert played.asked == [(FOUND.question, "demo", 3)]
    for part in (
        "[red] Bridge · characters 10 to 158 · score 0.93",
        "“The Clifton Suspension Bridge spans the Avon Gorge.”",
        "“It was designed by Isambard Kingdom Brunel.”",
        "fact: The toll of the Clifton Suspension Bridge is one pound. (0.60)",
        "key elements: Clifton Suspension Bridge (in the question), Isambard Kingdom Brunel",
        "why: the question names “clifton suspension bridge”; second by words",
        "by: walk 0.0123, words of what is asked 7.25",
        "key elements in the question: Clifton Suspension Bridge",
        "time: 31 ms (walk 12)",
    ):
        assert part in result.stdout
    assert result.stdout.count("designed by") == 1  # a fact that is a quoted sentence is not said again
    assert "\x1b" not in result.stdout
    assert result.stderr == ""
    result = run("Where?", "--json")
    assert Found.model_validate(json.loads(result.stdout)) == FOUND
    assert (result.exit_code, result.stderr) == (0, "")


def test_two_documents_of_one_title_are_told_apart(run: Run, played: Played) -> None:
    [hit] = FOUND.chunks
    years = [
        hit.model_copy(
            update={"document": BRIDGE.model_copy(update={"id": year, "uri": f"/a/{year}/toll.md"})}
        )
        for year in ("1864", "1991")
    ]
    played.found = FOUND.model_copy(update={"chunks": tuple(years)})
    shown = run("What is the toll?").stdout
    assert ["[red] Bridge (1864) · " in shown, "[red] Bridge (1991) · " in shown] == [True, True]


def test_search_takes_the_question_in_other_languages_too(run: Run, played: Played) -> None:
    assert run(FOUND.question, "--also", "Wer baute die Brücke?", "--also", "誰が橋を？").exit_code == 0
    assert played.translations == ("Wer baute die Brücke?", "誰が橋を？")
    result = run(FOUND.question, *("--also", "x") * 6)
    assert (result.exit_code, "translations is" in result.stderr) == (2, True)


def test_search_says_of_which_collection_and_without_what_it_found(run: Run, played: Played) -> None:
    result = run(FOUND.question, "-c", "demo", "-c", "letters", "-c", "demo")
    assert result.exit_code == 0
    assert played.asked == [(FOUND.question, name, 10) for name in ("demo", "letters")]
    assert "Bridge · demo · characters 10 to 158" in result.stdout
    lacking = {"failed": {"vectors": "collection demo has none"}, "elements": ()}
    played.found = FOUND.model_copy(update=lacking)
    result = run("Where?", "-c", "demo")
    assert result.exit_code == 0
    assert "Without vectors: collection demo has none" in result.stderr
    assert "key elements in the question: none that the graph knows" in result.stdout


def test_nothing_found_says_whether_the_collection_is_there(desk: Desk, run: Run, played: Played) -> None:
    played.found = Found(question="Where?")
    assert "nor any other; `hopline ingest PATH` makes one" in run("Where?", "-c", "notes").stderr
    write(desk.graph, "demo", "a", [CURIE])
    for flags in ((), ("--json",)):
        result = run("Where?", "-c", "notes", *flags)
        assert result.exit_code == 3
        assert "Nothing found: there is no collection notes; there are: demo." in result.stderr
    assert "nothing in collection demo speaks of that" in run("Where?", "-c", "demo").stderr


@pytest.mark.parametrize(("words", "code", "says"), [
    (["  "], 2, "question is ''"),
    (["Where?", "--limit", "0"], 2, "limit is 0, but must be greater than or equal to 1"),
    (["Where?", "-c", "a b"], 2, "collection is 'a b'"),
    (["Where?", "-c", "demo", "-c", "letters"], 1, "need one embedder: collection 'letters'"),
])  # fmt: skip
def test_bad_input_is_refused_with_what_is_allowed(desk, run, played, words, code, says):
    desk.vectors.prepare("letters", Embedder(name="another", dimension=3))
    result = run(*words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert played.asked == []


def test_the_best_sentences_speak_of_the_question_or_of_the_best_facts() -> None:
    [chunk] = FOUND.chunks

    def best(question: str, hit: FoundChunk, most: int) -> tuple[str, ...]:
        [told] = quoted(Found(question=question, chunks=(hit,)), most).chunks
        return told.sentences

    first, second = best(FOUND.question, chunk, 2)
    assert first.startswith("The Clifton")
    assert second == "It was designed by Isambard Kingdom Brunel."
    assert best("What is the toll?", chunk, 1) == ("Its toll is one pound.",)
    silent = chunk.model_copy(update={"facts": ()})
    assert best("Which opera?", silent, 2) == ("The Clifton Suspension Bridge spans the Avon Gorge.",)
    with_heading = silent.chunk.model_copy(update={"text": f"The Bridge\n\n{TEXT}"})
    document = silent.document.model_copy(update={"title": "The Bridge"})
    headed = silent.model_copy(update={"chunk": with_heading, "document": document})
    assert best("Which opera?", headed, 2) == best("Which opera?", silent, 2)


def placed(hit: FoundChunk) -> FoundChunk:
    """Return the chunk with its toll at the beginning of a page."""
    toll = TEXT.index("Its toll")
    places = f'{{"lines":[[0,{toll - 1},4,9,9,90,20],[{toll},{toll + 22},5,9,9,90,20]]}}'
    return hit.model_copy(update={"chunk": CHUNK.model_copy(update={"places": places})})


@pytest.mark.parametrize("sentences", [0, 1])
def test_a_chunk_is_told_with_the_place_of_its_best_sentence(sentences: int) -> None:
    [hit] = map(placed, FOUND.chunks)
    [told] = quoted(Found(question="What is the toll?", chunks=(hit,)), sentences).chunks
    assert told.place is not None
    assert (told.place.words, len(told.sentences), told.chunk.places) == ("page 5", sentences, "")


def test_a_place_is_said_behind_the_title(run: Run, played: Played) -> None:
    played.found = Found(question="What is the toll?", chunks=tuple(map(placed, FOUND.chunks)))
    assert "[red] Bridge, page 5 · characters" in run("What is the toll?").stdout
