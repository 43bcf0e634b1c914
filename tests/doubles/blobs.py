"""Blobs in a dictionary."""

import hashlib
from io import BytesIO
from typing import BinaryIO

from hopline.errors import Permanent


class MemoryBlobs:
    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def put(self, data: bytes, suffix: str = "") -> str:
        reference = hashlib.sha256(data).hexdigest() + suffix
        self.stored[reference] = data
        return reference

    def put_file(self, file: BinaryIO, suffix: str = "") -> str:
        file.seek(0)
        return self.put(file.read(), suffix)

    def open(self, reference: str) -> BinaryIO:
        return BytesIO(self.get(reference))

    def get(self, reference: str) -> bytes:
        if reference not in self.stored:
            raise Permanent(f"blob {reference} is not in the store")
        return self.stored[reference]

    def has(self, reference: str) -> bool:
        return reference in self.stored

    def delete(self, reference: str) -> None:
        self.stored.pop(reference, None)
