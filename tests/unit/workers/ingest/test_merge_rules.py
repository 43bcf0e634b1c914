"""Which names may be one thing's, told from the names and from where they stand."""

from typing import Any, cast

from doubles.documents import Sentence, write
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors

from workers.core.graph.elements import normalise_element
from workers.core.graph.merges import ElementProfile
from workers.core.jobs.work import Job
from workers.core.ports import Limits, Ports
from workers.ingest.resolution.candidates import propose_merges
from workers.ingest.resolution.names import (
    ambiguous,
    contained,
    is_capitalised,
    may_be_short,
    may_contain,
    may_merge,
)
from workers.ingest.resolution.spellings import only_a_gap, spelled_alike


def profile(*spellings: str) -> ElementProfile:
    name = normalise_element(spellings[0])
    return ElementProfile(id=f"k{name}", name=name, aliases=spellings, facts=1)


def pairs_of(*texts: str) -> list[tuple[str, str]]:
    """Return pairs of normal forms that are written as one/other; and so on."""
    pairs = [pair.split("/") for text in texts for pair in text.split("; ")]
    return [(normalise_element(name), normalise_element(other)) for name, other in pairs]


def test_a_short_form_is_told_from_its_longer_name():
    for rule, pairs in [
        ("surname", "Telford/Thomas Telford; van Beethoven/Ludwig van Beethoven; Tolkien/J. Tolkien"),
        ("surname", "Beethoven/Ludwig van Beethoven"),
        ("initials", "T. Telford/Thomas Telford; J. R. R. Tolkien/John Ronald Reuel Tolkien"),
        ("initials", "John Kennedy/John F. Kennedy; Lee Oswald/Lee Harvey Oswald"),
        ("initials", "George A. Smith/George Albert Smith"),
        ("titled", "Thomas Telford/Sir Thomas Telford; Lincoln/President Lincoln"),
        ("company", "Microsoft/Microsoft Corp."),
        ("qualified", "Menai Bridge/Menai Bridge (Wales)"),
        ("placed", "Kitzbühel/Kitzbühel, Austria; Mississauga/Mississauga, Ontario, Canada"),
        ("acronym", "ECO/Economic Cooperation Organization (ECO)"),
        ("acronym", "Treaty on the Functioning of the Union/Treaty on the Functioning of the Union (TFU)"),
    ]:
        for short, long in pairs_of(pairs):
            assert contained(short, long) == rule


def test_what_only_holds_the_words_is_no_longer_form():
    pairs = pairs_of(
        "Michigan/University of Michigan; York/New York; New York/New York City; England/Bank of England",
        "United States/United States Army; River/Mississippi River; Mississippi/Mississippi River",
        "Thomas/Thomas Telford; Washington/George Washington University; Monica/Santa Monica",
        "Samoa/Manu Samoa; Lost/Lost (Season 2); Burn/Burn (Usher song); Clark County/Clark County, Kansas",
        "Union/Union, Progress and Democracy; Indian Territory/Indian Territory, now Oklahoma",
        "World War/World War II; Henry/Henry IV; 1912/1912 Olympics; May 1871/3 May 1871; May/Theresa May",
        "John Kennedy/Robert F. Kennedy; R. Kennedy/John F. Kennedy; John Smith/John and Mary Smith",
        "Telford/Telford; /Telford; 特尔福德/托马斯·特尔福德",  # no given names of that script are known
    )
    assert [pair for pair in pairs if contained(*pair)] == []


def test_a_name_within_several_is_ambiguous_unless_they_are_within_one_another():
    assert ambiguous(["john smith", "mary smith"])
    assert not ambiguous(["mississauga, ontario"])
    assert not ambiguous(["thomas telford", "t. telford", "sir thomas telford"])
    assert ambiguous(["victoria, australia", "queen victoria"])


def test_whoever_begins_and_ends_like_the_short_name_is_a_rival():
    for rival in ("George H. W. Bush", "George H.W. Bush", "George Herbert Bush", "George Xu Yi Bush"):
        long = normalise_element(rival)
        assert may_contain("george bush", long)
        assert ambiguous([long, normalise_element("George W. Bush")])
    for other in ("George Bush", "Bush", "George Bush Avenue", "John H. W. Bush", "Bush George"):
        assert not may_contain("george bush", normalise_element(other))


def test_two_spellings_of_one_name_are_told():
    for rule, pairs in [
        ("spelling", "Samuel Coleridge-Taylor/Samuel Coleridge Taylor; Wal-Mart/Walmart; Hawai'i/Hawaii"),
        ("spelling", "St. Louis/Saint Louis; Arts Centre/Arts Center; Labour Party/Labor Party"),
        ("spelling", "Washington, D.C./Washington DC; 托马斯·特尔福德/托马斯 特尔福德"),
        ("typo", "Nanjing Massacre/Nanking Massacre; Abraham van Deursen/Abraham van Deusen"),
        ("typo", "Emilia Earhart/Emilia Eahrart"),
    ]:
        for name, other in pairs_of(pairs):
            assert spelled_alike(name, other) == spelled_alike(other, name) == rule


def test_what_is_one_letter_away_may_be_another_thing():
    pairs = pairs_of(
        "1912/1913; 19-12/1912; World War I/World War II; Henry IV/Henry V; Season 1/Season 2",
        "Season One/Season Two; Vitamin A/Vitamin B; Boeing 747/Boeing 757; F-16/F-1 6; German/Germany",
        "German Empire/Germany Empire; Christian church/Christina church; North Carolina/South Carolina",
        "Robert Smith/Roberta Smith; Ole Hansen/Ole Hanson; Maria Theresa/Marie Theresa; Austria/Australia",
        "Iran/Iraq; employer/employee; legal/illegal; Telford/Telford",
    )
    assert [pair for pair in pairs if spelled_alike(*pair)] == []


def test_numbers_dates_and_noise_are_never_merged():
    for name in ("1912", "3 May 1871", "19th century", "ab", "it", "the first", "May 1871", "42 km"):
        assert not may_be_short(profile(name))
        assert name == "42 km" or not may_merge(profile(name))


def test_a_short_form_is_capitalised_wherever_it_was_seen():
    assert may_be_short(profile("Telford"))
    assert may_be_short(profile("托马斯"))
    for spellings in (("Bridge", "bridge"), ("bridge",), ("Bridge",), ("of Telford",), ("Season 1",)):
        assert not may_be_short(profile(*spellings))
    assert is_capitalised(profile("“Telford”"))
    assert not is_capitalised(profile("Telford", "telford"))


def test_a_gap_is_told_from_a_hyphen():
    assert only_a_gap("red wood", "redwood")
    assert only_a_gap("wal-mart", "walmart")
    assert not only_a_gap("al-andalus", "al andalus")
    assert not only_a_gap("nanjing massacre", "nanking massacre")


C = "c"
FULL = ("Thomas Telford built the bridge.", ["Thomas Telford", "bridge"])
SHORT = ("Telford was a mason.", ["Telford"])
TOWN = ("Telford is a town in Shropshire.", ["Telford", "Shropshire"])
NAMED = ("The town is called after Thomas Telford.", ["Thomas Telford"])


def surnames(graph: MemoryGraph) -> list[str]:
    job, no = Job(id="j", kind="merge", collection=C), cast("Any", None)
    page, _following = graph.merging.element_page(C, after="", before="~", limit=1000)
    proposals = propose_merges(page, Ports(job, graph, MemoryVectors(), no, no, Limits())).sure
    return [proposal.source_name for proposal in proposals if proposal.rule == "surname"]


def written(uri: str, *paragraphs: list[Sentence]) -> MemoryGraph:
    graph = MemoryGraph()
    write(graph, C, uri, *paragraphs)
    return graph


def test_after_the_full_name_the_family_name_is_the_person_and_before_it_something_else():
    for paragraphs in ([[FULL, SHORT]], [[FULL], [SHORT]], [[FULL], [SHORT, NAMED]]):
        assert surnames(written("a", *paragraphs)) == ["telford"], paragraphs
    for paragraphs in ([[TOWN, NAMED]], [[TOWN], [NAMED]], [[TOWN], [NAMED, SHORT]]):
        assert surnames(written("a", *paragraphs)) == [], paragraphs
    elsewhere = ("He built the bridge.", ["Thomas Telford"])
    assert surnames(written("a", [SHORT, elsewhere])) == ["telford"], "the text has it in other letters"


def test_one_document_that_names_something_else_is_enough():
    graph = written("a", [FULL, SHORT])
    write(graph, C, "b", [TOWN, NAMED])
    assert surnames(graph) == []


def test_a_title_names_the_person_first_where_it_has_more_than_the_family_name():
    assert surnames(written("thomas telford", [SHORT, FULL])) == ["telford"]
    assert surnames(written("telford", [FULL, SHORT])) == ["telford"]
    assert surnames(written("telford", [TOWN, NAMED])) == []
    posed = ("Tarski Problem was posed by Alfred Tarski.", ["Tarski Problem", "Alfred Tarski", "Tarski"])
    assert surnames(written("tarski problem", [posed])) == ["tarski"], "within the title it is the title's"
    assert surnames(written("a", [posed])) == []
