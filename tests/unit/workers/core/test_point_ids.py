"""Points that are stored keep their ids."""

from __future__ import annotations

import uuid

from workers.core.ids import point_id

NAMESPACE = uuid.UUID("6f1d7a3e-52c4-4a0b-9c57-2f0e3c1b8a94")


def test_a_point_s_id_is_the_uuid_of_version_5_of_its_name():
    for graph_id in ("", "demo/f0123", "größe/k居里", *(f"demo/c{nth}" for nth in range(20))):
        assert point_id(graph_id) == str(uuid.uuid5(NAMESPACE, graph_id))
