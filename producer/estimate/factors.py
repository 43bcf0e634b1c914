"""The measured figures that estimates use, each with its source.

All were measured on the local stack (2 cores, every server on one machine) with the offline model; the
programs that are named print them again.
"""

from __future__ import annotations

from hopline.models.estimates import Factor

_CAPACITY = "bench/capacity.py: hotpot500 repeated, 24,576 documents of a chunk of 122 tokens on average"
_PEOPLE = "bench/capacity.py: the atomic facts that people wrote for 91 biographies (FActScore)"
_OFFLINE = "bench/capacity.py: the offline model on 602 chunks of hotpot500"


# What the models say ------------------------------------------------------------------------------------
REPLY_LOW = Factor(name="reply tokens per token of text, low", value=138_881 / 73_488, source=_OFFLINE)
REPLY_HIGH = Factor(name="reply tokens per token of text, high", value=45_649 / 12_723, source=_PEOPLE)
FACTS_LOW = Factor(name="facts per token of text, low", value=2_617 / 73_488, source=_OFFLINE)
FACTS_HIGH = Factor(name="facts per token of text, high", value=2_107 / 12_723, source=_PEOPLE)

# What is there afterwards -------------------------------------------------------------------------------
_TOKENS = 24_576 * 73_488 / 602
ELEMENTS = Factor(name="key elements per token of text", value=185_552 / _TOKENS, source=_CAPACITY)
ELEMENT_TOKENS = Factor(name="tokens of a key element", value=4.62, source=_CAPACITY)
_NODES = 24_576 * 2 + 100_490 + 185_552
NODE_BYTES = Factor(
    name="bytes of Neo4j's store per node, with its relationships and indexes",
    value=255_897_600 / _NODES,
    source=_CAPACITY,
)
_VECTORS, _FEWER = 210_128, 45_417
VECTOR_DISK = Factor(
    name="bytes on disk per vector of 256 numbers", value=327_524_352 / _VECTORS, source=_CAPACITY
)
VECTOR_MEMORY = Factor(
    name="bytes of the local endpoint's memory per vector of 256 numbers",
    value=(453_824_512 - 191_619_072) / (_VECTORS - _FEWER),
    source=_CAPACITY,
)
NUMBER_BYTES = 4

# How long a search takes: (facts, vectors, milliseconds of the vectors' part, of the whole), at the median.
_SEARCH = "bench/search.py --growth, docs/measurements.md, while other programs ran on both cores"
SEARCHES = ((11_034, 25_169, 22.7, 92.7), (50_256, 106_332, 35.3, 116.3), (200_205, 414_232, 54.7, 102.9))
SEARCH_SLOPE = Factor(
    name="milliseconds of a search per vector more, local endpoint",
    value=(54.7 - 22.7) / (414_232 - 25_169),
    source=_SEARCH,
)

# What limits allow --------------------------------------------------------------------------------------
# Of what a minute allows, documents get this much: the limiter spaces calls evenly at 97.5% of the limit over
# windows of 62 seconds, so that calls that arrive late pass no minute of the endpoint's (lua/take_turn.lua).
USED_OF_MINUTE = 0.975 * 60 / 62

# How fast one machine writes ----------------------------------------------------------------------------
CHUNKS_PER_SECOND = Factor(
    name="chunks a second on two cores, model and all servers on them",
    value=53.8,
    source="bench/ingest.py: ten chunks of 1,200 characters a document, 0 ms, 64 calls",
)

# What estimates are computed with, as they tell it.
USED = (
    REPLY_LOW,
    REPLY_HIGH,
    FACTS_LOW,
    FACTS_HIGH,
    ELEMENTS,
    NODE_BYTES,
    VECTOR_DISK,
    VECTOR_MEMORY,
    SEARCH_SLOPE,
    CHUNKS_PER_SECOND,
)
