"""The stack's Redis cuts off who does not read its replies, and reads the files of those before it."""

import shutil
import socket
from pathlib import Path

import pytest
import redis
from fleet.crew import PrivateRedis


def flood(stranger: socket.socket) -> None:
    """Ask for more replies than would ever be kept, and read none."""
    for _ in range(5000):
        stranger.sendall(b"PING\r\n" * 10_000)


def test_a_stranger_who_reads_no_reply_is_cut_off(tmp_path: Path) -> None:
    server = PrivateRedis(tmp_path)
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    stranger = socket.create_connection(("127.0.0.1", port), timeout=120)
    with stranger, pytest.raises(ConnectionError):
        flood(stranger)
    server.kill()


def test_the_append_only_file_of_redis_6_2_is_read_and_kept(tmp_path: Path) -> None:
    """The file was written by Redis 6.2.14: a snapshot, then commands, one key of each type in either."""
    data = Path(__file__).parents[3] / "data" / "redis-6.2.aof"
    shutil.copy(data, tmp_path / "appendonly.aof")
    server = PrivateRedis(tmp_path)
    for _ in range(2):
        with redis.Redis.from_url(server.url, decode_responses=True) as client:
            for part in ("snapshot", "command"):
                assert client.hgetall(f"hash:{part}") == {"a": "1", "b": "two"}
                assert client.zrange(f"zset:{part}", 0, -1, withscores=True) == [("x", 1.5), ("y", 2.0)]
                assert client.lrange(f"list:{part}", 0, -1) == ["1", "2"]
                assert client.smembers(f"set:{part}") == {"m", "n"}
                assert client.get(f"text:{part}") == "v"
                assert [fields for _, fields in client.xrange(f"stream:{part}")] == [{"k": "v"}]
        server.kill()
        server.start()
    server.kill()
