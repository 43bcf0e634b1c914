"""An `allow` in a front matter, however it is spelled, is read or refuses the document."""

from hypothesis import given
from hypothesis import strategies as st

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

_ESCAPES = (lambda sign: f"\\U{ord(sign):08x}", lambda sign: f"\\u{ord(sign):04X}", lambda sign: sign)
_HIDDEN = ("\u200b", "\u00ad", "\ufeff", "\u2060", "\ufe0f", "\u115f")
_FORMS = (
    "{key}: [user:ann]", "{key}: user:ann", "{key}:user:ann", "{key}:\n  - user:ann",
    "{key} : [user:ann]", "{key} = ['user:ann']", "? {key}\n: [user:ann]", "&who {key}: [user:ann]",
    "!!str {key}: [user:ann]", "{{{key}: [user:ann]}}", "{{x: 1, {key}: [user:ann]}}",
    "- {key}: [user:ann]", "metadata:\n  {key}: [user:ann]", "base: &b {{{key}: [user:ann]}}\n<<: *b",
    "[{key}]\nusers = ['user:ann']", "[ access.{key} ]\nusers = ['user:ann']",
    "[[{key}]]\nname = 'user:ann'", "{key}.users = ['user:ann']", "access . {key} = ['user:ann']",
    "who = {{ {key} = ['user:ann'] }}", "x: y\u2028{key}: [user:ann]",
)  # fmt: skip
_LINES = (
    "author: Ann", "author = 'Ann'", "a.b: 1", "[table]", "tags: [a,", "  b]", 'title: "open',
    'note: """', "text: |", "<<: *none", "- x", "? x", "", "# who", "a: [", "%YAML 1.2", "...x",
    "key:\tvalue",
)  # fmt: skip


@st.composite
def _keys(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(("allow", "Allow", "ALLOW", "ａｌｌｏｗ")))
    kind = draw(st.sampled_from(("plain", "plain", "quoted", "escaped", "hidden", "folded")))
    if kind == "plain":
        return name
    if kind == "quoted":
        return draw(st.sampled_from(("'{}'", '"{}"', '" {} "'))).format(name)
    if kind == "escaped" and name.isascii() and draw(st.booleans()):
        return '"' + "".join(f"\\x{ord(sign):02x}" for sign in name) + '"'
    if kind == "escaped":
        return '"' + "".join(draw(st.sampled_from(_ESCAPES))(sign) for sign in name) + '"'
    place = draw(st.integers(1, 4))
    if kind == "folded":
        return f'"{name[:place]}\\\n  {name[place:]}"'
    hidden = name[:place] + draw(st.sampled_from(_HIDDEN)) + name[place:]
    return draw(st.sampled_from(("{}", "'{}'", '"{}"'))).format(hidden)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """Return a text that begins with something like a front matter, with `allow` in it."""
    fence = draw(st.sampled_from(("---", "+++")))
    filler = draw(st.sampled_from(("author: Ann", "n = 1"))) + "\n"
    lines = [
        *draw(st.lists(st.sampled_from(_LINES), max_size=3)),
        filler * draw(st.sampled_from((0, 0, 1, 498, 600))) + "author: Bo",
        draw(st.sampled_from(_FORMS)).format(key=draw(_keys())),
        *draw(st.lists(st.sampled_from(_LINES), max_size=3)),
    ]
    before = draw(st.sampled_from(("", "", "\ufeff", "\ufeff\ufeff", "\n \n", f"{fence}\n", "\u200b")))
    opened = before + fence + draw(st.sampled_from(("", "", " ", " # who", "-")))
    closed = draw(st.sampled_from((f"\n{fence}\n", f"\n{fence}\n", "\n...\n", "\n\n", f"\n{fence} # end\n")))
    return draw(st.sampled_from(("", "", "---\ntitle: T\n---\n"))) + "\n".join((opened, *lines)) + closed


@given(_texts(), st.sampled_from(("md", "md", "md", "txt", "html")), st.sampled_from(("\n", "\r\n", "\r")))
def test_allow_is_read_or_the_document_is_refused(text: str, form: str, line_end: str) -> None:
    data = (text + "<p>Text of the document.</p>\n").replace("\n", line_end).encode()
    params = DocumentParams(uri=f"/docs/a.{form}", source="x", format=form)
    try:
        allow = read_text(DocumentFile.of(data), params, Limits()).metadata["allow"]
    except DocumentUnreadable as error:
        allow = ("user:ann",) if "allow" in str(error) else ()
    assert allow == ("user:ann",)
