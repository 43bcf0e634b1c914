"""A filter means the same in Python and in the database, over any metadata."""

from datetime import date

from fleet.cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workers.adapters.neo4j.metadata.filters import PLACE, CompiledFilter
from workers.adapters.neo4j.metadata.properties import changed_properties, metadata_of
from workers.core.metadata.changes import MetadataChange
from workers.core.metadata.filter import Both, Either, Filter, Not, comparison, matches
from workers.core.metadata.filter_text import filter_json, filter_of_json

_NAMES = st.sampled_from(["a", "b", "名"])
_TEXTS = st.sampled_from(["x", "y", "é", "x\u0301", "\U0001f600", "\uffee", "` OR true //", "2024"])
_NUMBERS = st.sampled_from([-1, 0, 0.5, 1, 2**53 - 1, 2**53 - 2, 1e-300, -0.5])
_DATES = st.dates(date(2023, 12, 30), date(2024, 1, 2))
_SINGLE = _TEXTS | _NUMBERS | _DATES
_LISTS = st.lists(_TEXTS, min_size=1, max_size=3, unique=True).map(tuple)
_METADATA = st.dictionaries(_NAMES, _SINGLE | _LISTS, max_size=3)
_TESTS = st.one_of(
    st.builds(comparison, _NAMES, st.sampled_from(["=", "!="]), _SINGLE),
    st.builds(comparison, _NAMES, st.sampled_from(["<", "<=", ">", ">="]), _NUMBERS | _DATES),
    st.builds(comparison, _NAMES, st.just("has"), _TEXTS),
    st.builds(comparison, _NAMES, st.just("in"), st.lists(_SINGLE, min_size=1, max_size=4)),
    st.builds(comparison, _NAMES, st.just("exists")),
)
_FILTERS: st.SearchStrategy[Filter] = st.recursive(
    _TESTS,
    lambda inner: st.one_of(
        inner.map(lambda part: Not.model_construct(part=part)),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Both.model_construct(parts=tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Either.model_construct(parts=tuple(parts))),
    ),
    max_leaves=6,
)
_QUERY = f"UNWIND $documents AS d RETURN {PLACE} AS meant"


@given(_FILTERS, st.lists(_METADATA, min_size=1, max_size=12))
@settings(max_examples=cases(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_evaluators_agree(neo4j_graph, tree, documents):
    rows = [changed_properties(MetadataChange(values=fields)) for fields in documents]
    compiled = CompiledFilter(tree)
    answers = neo4j_graph.connection.run_text(
        "meant", _QUERY.replace(PLACE, compiled.expression), None, documents=rows, given=compiled.parameters
    )
    expected = [matches(tree, fields) for fields in documents]
    assert [answer["meant"] for answer in answers] == expected
    assert [metadata_of(row) for row in rows] == documents
    assert filter_of_json(filter_json(tree)) == tree
    assert not any(str(value) in compiled.expression for value in ("x", "OR true", "名"))
