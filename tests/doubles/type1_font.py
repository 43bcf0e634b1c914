"""Makes fonts in Type 1, which name their glyphs and say nothing of Unicode."""

from collections.abc import Sequence
from itertools import chain

_FILE_KEY, _GLYPH_KEY = 55665, 4330  # of the format's encryption
_SALT = b"\0\0\0\0"
_WIDTH, _SIDE = 500, 300  # thousandths of the size


def type1_font(names: Sequence[tuple[int, str]]) -> tuple[bytes, bytes]:
    """Return the open and the encrypted part of a font whose glyphs, by (code, name), are squares."""
    square = _glyph(
        0, _WIDTH, "hsbw", 100, 100, "rmoveto", _SIDE, "hlineto", _SIDE, "vlineto", -_SIDE, "hlineto"
    )
    encoding = "".join(f"dup {code} /{name} put\n" for code, name in names)
    head = (
        "%!PS-AdobeFont-1.0: Hallow\n11 dict begin\n/FontName /Hallow def\n/PaintType 0 def\n"
        "/FontType 1 def\n/FontMatrix [0.001 0 0 0.001 0 0] readonly def\n/Encoding 256 array\n"
        f"0 1 255 {{1 index exch /.notdef put}} for\n{encoding}readonly def\n"
        "/FontBBox {0 -200 500 700} readonly def\ncurrentdict end\ncurrentfile eexec\n"
    )
    private = (
        b"dup /Private 8 dict dup begin\n/RD {string currentfile exch readstring pop} executeonly def\n"
        b"/ND {noaccess def} executeonly def\n/NP {noaccess put} executeonly def\n/BlueValues [] def\n"
        b"/password 5839 def\n/MinFeature {16 16} def\n2 index /CharStrings %d dict dup begin\n"
    ) % (len(names) + 1)
    for name in (".notdef", *(name for _, name in names)):
        private += b"/%s %d RD %s ND\n" % (name.encode(), len(square), square)
    private += (
        b"end\nend\nreadonly put\nnoaccess put\ndup/FontName get exch definefont pop\n"
        b"mark currentfile closefile\n"
    )
    return head.encode(), _encrypted(private, _FILE_KEY)


def _glyph(*program: int | str) -> bytes:
    codes = {"hsbw": [13], "rmoveto": [21], "hlineto": [6], "vlineto": [7]}
    drawn = chain.from_iterable(codes[one] if isinstance(one, str) else _number(one) for one in program)
    return _encrypted(bytes((*drawn, 9, 14)), _GLYPH_KEY)  # closepath endchar


def _number(value: int) -> list[int]:
    if abs(value) <= 107:  # the largest in one byte
        return [value + 139]
    high, low = divmod(abs(value) - 108, 256)
    return [high + (247 if value > 0 else 251), low]


def _encrypted(data: bytes, key: int) -> bytes:
    out = bytearray()
    for byte in _SALT + data:
        out.append(byte ^ (key >> 8))
        key = ((out[-1] + key) * 52845 + 22719) & 0xFFFF
    return bytes(out)
