"""The key of the servers that these tests start: of the vectors endpoint, and of the model's switches.

It is drawn once for a checkout, so that servers that stand (`make servers`) know the key of every later run.
"""

import contextlib
import os
import secrets
from pathlib import Path

_FILE = Path(__file__).resolve().parents[2] / "var" / "test-servers" / "key"


def _key_of_this_checkout() -> str:
    _FILE.parent.mkdir(parents=True, exist_ok=True)
    drawn = _FILE.with_name(f"key.{os.getpid()}")
    drawn.touch(mode=0o600)
    drawn.write_text(secrets.token_urlsafe(18), encoding="utf-8")
    with contextlib.suppress(FileExistsError):  # the first of the processes of a run draws it
        os.link(drawn, _FILE)
    drawn.unlink()
    return _FILE.read_text(encoding="utf-8")


KEY = _key_of_this_checkout()
SHOWN = {"api-key": KEY}
