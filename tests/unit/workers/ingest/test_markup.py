"""Documentation in other markups than Markdown and HTML: what they say is read, what they do is left out."""

import pytest

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.places import place_of
from workers.core.ports import Limits
from workers.ingest.chunking.split import place_map
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

TABLE = "| Mill | 2023 | 2024 |\n| --- | --- | --- |\n| Wind | 410 | 430 |"


def read(text, form):
    params = DocumentParams(uri=f"/a.{form}", source=f"/a.{form}", format=form)
    return read_text(DocumentFile.of(text.encode()), params, Limits())


RST = """
==========
Mill guide
==========

.. toctree::
   :maxdepth: 2

   a

Rents
=====

The rent is 10\\ :sup:`6` euros [1]_, see :ref:`the lease <lease>` and :func:`~mills.rent.pay`.

.. [1] Without tax.

1. one
2. two

   - deep

.. note:: Beware of the wheel.

.. versionadded:: 2.1
   The roof.

.. code-block:: python
   :linenos:

   def rent():
       return 430

.. function:: pay(rent)

   Pay the rent.

   :param rent: in euros

+-------+------+------+
| Mill  | 2023 | 2024 |
+=======+======+======+
| Wind  | 410  | 430  |
+       +------+------+
|       | 411  | 431  |
+-------+------+------+

.. csv-table::
   :file: /etc/passwd

.. include:: /etc/hosts

.. image:: x.png

.. a comment
"""
RST_TEXT = f"""# Mill guide

## Rents

The rent is 10^6 euros[1], see the lease and pay.

[1] Without tax.

1. one
2. two
  - deep

Note: Beware of the wheel.

Added in 2.1 The roof.

```
def rent():
    return 430
```

pay(rent)

Pay the rent.

param rent: in euros

{TABLE}
| Wind | 411 | 431 |"""

ORG = """#+TITLE: Mill guide
#+OPTIONS: toc:nil
# a comment
* TODO [#A] Rents :money:
  :PROPERTIES:
  :ID: x
  :END:
The *rent* is 10^{6} euros[fn:1], =code_x=, [[https://x.invalid][here]], a/b/c.

- one
  1. deep
- [X] two
- term :: what it is

| Mill  | 2023 | 2024 |
|-------+------+------|
| Wind  |  410 |  430 |
#+TBLFM: $3=1

#+BEGIN_SRC python :results output
  def a():
      return 1
#+END_SRC
#+begin_quote
Quoted.
#+end_quote
{{{version}}} Text.
[[./wheel.png]]
** COMMENT hidden
secret
** Sub
[fn:1] Without tax.
"""
ORG_TEXT = f"""# Mill guide

# Rents

The rent is 10^6 euros[1], code_x, here, a/b/c.

- one
  1. deep
- [X] two
- term: what it is

{TABLE}

```
def a():
    return 1
```

Quoted.

Text.

## Sub

[1] Without tax."""

ADOC = """= Mill guide
Ann Holm <ann@x.invalid>
v1.0, 2024-05-03
:rent: 430

// a comment
The *rent* is {rent} euros footnote:[Without tax.] and `code_x` of 10^6^ litres; see <<l,the lease>>.

== Rents

[source,python]
----
def a():
    return 1 <1>
----
<1> returns one

.Rents of mills
[cols="1,2*",options="header"]
|===
|Mill |2023 |2024

.2+|Wind |410 |430
|411
|431
|===

* one
goes on
** deep
* two
+
More of two.

. first

Term:: what it is

[WARNING]
====
Of the wheel.
====

include::other.adoc[]
image::wheel.png[]

++++
<p>raw</p>
++++
"""
ADOC_TEXT = f"""# Mill guide

The rent is 430 euros [1] and code_x of 10^6 litres; see the lease.

[1] Without tax.

## Rents

```
def a():
    return 1
```

1. returns one

Rents of mills

{TABLE}
| Wind | 411 | 431 |

- one goes on
  - deep
- two

More of two.

  1. first

Term: what it is

Warning: Of the wheel."""

TEX = r"""\documentclass{article}
\newcommand{\proj}{Hopline}
\title{Mill guide\thanks{Draft}}
\author{Ann Holm}
\begin{document}
\maketitle
\section{Rents}\label{s} The rent\footnote{Without tax.}
is $10^6$ \unknown{euros} --- \textbf{bold} \"u of \proj.
H\textsubscript{2}O. % a comment

Second \cite{x}.
\begin{itemize}
\item one \begin{enumerate} \item deep \end{enumerate}
\item two
\end{itemize}
\begin{tabular}{lcc}\toprule Mill & 2023 & 2024 \\ \midrule
\multirow{2}{*}{Wind} & 410 & 430 \\ & 411 & 431\\ \bottomrule\end{tabular}
\begin{lstlisting}[language=Python]
y = {2  # $
\end{lstlisting}
\begin{comment}
secret
\end{comment}
\[ x = 2 \]
\begin{figure}\includegraphics{a.png}\caption{The wheel.}\end{figure}
\input{other}
\end{document}
"""
TEX_TEXT = f"""# Mill guide

Ann Holm

## Rents

The rent[1] is $10^6$ euros — bold ü of Hopline. H_2O.

[1] Without tax.

Second [x].

- one
  1. deep
- two

{TABLE}
| Wind | 411 | 431 |

```
y = {{2  # $
```

$$x = 2$$

The wheel."""

CASES = {
    "rst": (
        RST,
        RST_TEXT,
        {"directive toctree", "directive include", "picture", "comment", "markup that cannot be read"},
    ),
    "org": (ORG, ORG_TEXT, {"comment", "drawer", "keyword options", "macro version", "picture"}),
    "adoc": (ADOC, ADOC_TEXT, {"comment", "text of another file", "picture", "raw markup"}),
    "tex": (TEX, TEX_TEXT, {"comment", "macro unknown", "picture", "text of another file"}),
}


PLACED = {
    "rst": """Mills
=====

An old mill
by the sea.

Rents
-----

+------+------+
| Mill | Rent |
+======+======+
| Wind | 410  |
+------+------+

.. note::

   - Beware of
     the wheel.

.. code-block:: sh

   pay()
   again()
""",
    "adoc": """= Mills

An old mill
by the sea.

== Rents

|===
|Mill |Rent

|Wind
|410
|===

====
* Beware of
the wheel.
====

----

pay()
again()
----
""",
    "org": """#+TITLE: Mills
An old mill
by the sea.
* Rents
| Mill | Rent |
|------+------|
| Wind | 410  |
#+begin_quote
- Beware of
  the wheel.
#+end_quote
#+begin_src sh

pay()
again()
#+end_src
""",
    "tex": r"""\documentclass{article}
\newcommand{\mill}{mill}
\title{Mills}
\begin{comment}
Nothing.
\end{comment}
\begin{document}

An old \mill{}
by the sea.
\section{Rents}
\begin{tabular}{ll}
Mill & Rent \\
Wind & 410 \\
\end{tabular}
\begin{itemize}
  \item Beware of
  the wheel.
\end{itemize}
\begin{lstlisting}
pay()
again()
\end{lstlisting}
\end{document}
""",
}
QUOTED = {"An old": "Mills", "| Wind": "Rents", "Beware of": "Rents", "again()": "Rents"}


@pytest.mark.parametrize("form", PLACED)
def test_a_place_in_a_markup_is_its_section_and_line(form):
    source = PLACED[form]
    said = read(source, form)
    known = place_map(said.text, said.places, form).cut(0, len(said.text))
    for quote, section in QUOTED.items():
        place = place_of(known, at := said.text.index(quote), at + len(quote))
        assert (place.part, place.line) == (
            f"section {section}",
            1 + source[: source.index(quote.strip("| "))].count("\n"),
        )


def test_a_place_in_a_part_of_a_markup_counts_lines_from_the_beginning_of_the_file():
    said = read(PLACED["rst"], "rst")
    at = said.text.index("by the sea")
    known = place_map(said.text, said.places, "rst").cut(at, len(said.text))
    assert place_of(known, 0, 5).words == "section Mills, line 5"


@pytest.mark.parametrize("form", CASES)
def test_what_a_markup_says_is_read_and_what_it_does_is_counted(form):
    text, wanted, left_out = CASES[form]
    said = read(text, form)
    assert said.text == wanted
    assert set(said.left_out) == left_out
    assert said.title == "Mill guide"


MDX = """---
title: Rents
---
import Tabs from '@theme/Tabs';
import {
  A,
} from 'x';

# Rents

<Tabs groupId="os">
<TabItem value="linux" label="Linux">

The rent is **430** euros. {/* a
comment */}

</TabItem>
</Tabs>

Total: {props.total}; a < b, `{code}` stays.

```jsx
<Tabs>{x}</Tabs>
```
"""


def test_mdx_is_markdown_without_components_and_its_lines_stay():
    said = read(MDX, "mdx")
    assert [line for line in said.text.split("\n") if line.strip()] == [
        "---", "title: Rents", "---", "# Rents", "Linux", "The rent is **430** euros. ",
        "Total: ; a < b, `{code}` stays.", "```jsx", "<Tabs>{x}</Tabs>", "```",
    ]  # fmt: skip
    assert said.left_out == {"component": 4, "import": 1, "expression": 1, "comment": 1}
    at = said.text.index("Total")
    place = place_of(place_map(said.text, said.places, "mdx").cut(0, len(said.text)), at, at + 5)
    assert place is not None
    assert (place.line, said.title) == (MDX[: MDX.index("Total")].count("\n") + 1, "Rents")


def test_shortcodes_in_markdown_are_left_out_but_not_in_code():
    text = '# A\n\n{{< figure src="x" >}} One {{% note %}}two{{% /note %}} '
    text += "{% include x %}`{% raw %}` {{ var }}.\n"
    said = read(text, "md")
    assert said.text == "# A\n\n One two `{% raw %}` {{ var }}.\n"
    assert said.left_out == {"shortcode": 4}


@pytest.mark.parametrize(
    ("form", "text", "reason"),
    [
        ("rst", "* " * 3_000 + "x", "nested too deeply"),
        ("tex", "{" * 5_000 + "x", "nested too deeply|broken"),
        ("rst", ".. comment\n", "holds no text"),
        ("adoc", "////\nx\n////\n", "holds no text"),
    ],
)
def test_what_a_markup_cannot_say_is_told(form, text, reason):
    with pytest.raises(DocumentUnreadable, match=reason):
        read(text, form)


HOSTILE = {
    "rst": [
        ".. |a| replace:: "
        + "|b|" * 100
        + "\n.. |b| replace:: "
        + "|c|" * 1_000
        + "\n.. |c| replace:: x\n\n|a|",
        "*a " * 100_000,
    ],
    "org": ["*" * 100_000, "#+begin_quote\n" * 5_000, "[[" * 100_000, "[fn:" * 50_000, "|" * 200_000],
    "adoc": [
        "|===\n2147483647*|x\n|===",
        "====\n" * 3_000,
        "<<" * 100_000,
        "((" * 100_000,
        "image:" * 50_000,
    ],
    "tex": [
        r"\newcommand{\a}{\b\b\b\b\b\b\b\b}\newcommand{\b}{\a\a\a\a\a\a\a\a}x \a",
        r"\begin{a}" * 500,
        r"\begin{comment}" * 20_000,
        "$" * 20_001,
    ],
    "mdx": ["{/*" * 20_000, "<A b={" * 20_000, "`" * 100_000, "{{<" * 50_000],
}
HARM = [(form, number) for form, texts in HOSTILE.items() for number in range(len(texts))]


def outcome(text, form):
    """Return what is read of a text, or why it is refused."""
    params = DocumentParams(uri=f"/a.{form}", source=f"/a.{form}", format=form)
    try:
        return read_text(DocumentFile.of(text.encode()), params, Limits(parse_seconds=20)).text
    except DocumentUnreadable as error:
        return f"refused: {error}"


@pytest.mark.parametrize(("form", "number"), HARM)
def test_a_markup_that_is_made_to_harm_is_read_or_refused_in_time(form, number):
    said = outcome(f"Text.\n\n{HOSTILE[form][number]}\n", form)
    assert "took longer" not in said
    assert len(said) < 1_000_000
