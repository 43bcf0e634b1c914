"""Where the names, numbers and dates of a written sentence may come from."""

import pytest

from workers.core.answers.aliases import with_aliases
from workers.core.records import FactSource
from workers.critic.context import ChunkText
from workers.critic.verify import fault, is_unchecked

CHUNK = "1915\n\nCharles Babbage came late. Ada Lovelace sailed north. "


def source(quote, fact=None, title="A Life"):
    place = {"chunk_id": "c", "document_id": "d", "start": len(CHUNK), "end": len(CHUNK) + len(quote)}
    known = {"fact_id": "f", "fact": fact or quote, "title": title, "uri": "u", "match": 1, "grounded": True}
    return FactSource(**place, **known, quote=quote)


def why(sentence, quote, fact=None, before=CHUNK, **more):
    chunk = ChunkText(before + quote, len(CHUNK) - len(before))
    return fault(sentence, [source(quote, fact)], lambda ids: [chunk] if ids else [], **more)


ADDED = {"fact": "Ada Lovelace landed on 23 May 1915."}  # what it was extracted as
SAILED = {**ADDED, "before": "Ada sailed. "}
KENT, MARIA = {"before": "The Kent Brewery. "}, {"before": "Anna Maria Renn came. Anna Maria slept. "}
IN_KENT = {"before": "It was in Kent. "}


@pytest.mark.parametrize(("sentence", "quote", "more", "fault"), [
    # The year that a fact adds to its quote counts where a heading says it.
    ("Ada Lovelace landed on 23 May 1915.", "She landed on 23 May.", ADDED, None),
    ("Ada Lovelace landed on 23 May 1915.", "She landed on 23 May.", SAILED, ""),
    ("Ada Lovelace landed on 23 May 1916.", "She landed on 23 May.", ADDED, "1916"),
    # A date told by the day of the week is completed whole.
    ("They landed on 10 June 1915.", "They landed on Thursday.", {"before": "10 June 1915\n\n"}, None),
    ("They landed in June 1915.", "They landed in May.", {"before": "10 June 1915\n\n"}, "june"),
    ("They landed on 23 May 1915.", "They landed on 23 May.", {}, None),
    ("They landed in 1915.", "They landed in 1914.", {}, "1915"),
    # A year before a comma completes a date, a number with one does not.
    ("He left on 23 May 1890.", "On 23 May he left.", {"before": "In 1890, war came. "}, None),
    ("He left on 23 May 1890.", "On 23 May he left.", {"before": "All 1890,5 came. "}, ""),
    ("They had 7 ships.", "They had ships.", {"before": "7 men came in 1843. "}, "7"),
    # A name comes from the text before a quote that leaves it open.
    ("Ada Lovelace landed in May.", "She landed in May.", {}, None),
    ("Ada Lovelace landed in May.", "The captain landed in May.", {}, None),
    ("Ada Lovelace landed in May.", "Landed safely in May.", {}, None),
    ("Eve Moriarty landed in May.", "She landed in May.", {}, "Eve, Moriarty"),
    ("Ilse lost a shoe.", "This lost a shoe.", {"before": "Ilse won the race. "}, None),
    ("Ilse lost a shoe.", "Today he lost a shoe.", {"before": "Ilse won the race. "}, None),
    ("Ilse lost shoes.", "Shoes were lost by her.", {"before": "Ilse won the race. "}, None),
    # A quote or a fact that names its subject takes no other from before it.
    ("Charles Babbage landed in May.", "Ada Lovelace landed in May.", {}, "Charles, Babbage"),
    ("Charles Babbage landed in May.", "She landed in May.", {"fact": "Ada landed in May."}, "Charles"),
    ("Ilse lost a shoe.", "Tobias lost his shoe.", {"before": "Ilse won the race. "}, ""),
    ("Ilse Renn said so.", "Yesterday Tobias Gray said so.", {"before": "Ilse Renn came late. "}, ""),
    ("The Herons played in May.", "The Beatles played in May.", {"before": "The Herons came. "}, ""),
    ("Ilse lost a shoe.", "The captain, Tobias Gray, lost a shoe.", {"before": "Ilse won. "}, ""),
    ("Ilse lost a shoe.", "US troops lost a shoe.", {"before": "Ilse won the race. "}, ""),
    # A name may be told in full where the text around does; another with a name in common is not it.
    ("Charles sold the Kent Brewery.", "Charles sold the brewery.", KENT, None),
    ("Charles sold the Kent Brewery.", "Charles sold the brewery.", IN_KENT, "Kent"),
    ("Maria Renn won.", "Yesterday Renn won.", MARIA, None),
    ("Anna Renn won.", "Yesterday Tobias Renn won.", {"before": "His sister Anna Renn came. "}, ""),
    ("Tobias Gray won.", "Yesterday Tobias Renn won.", {"before": "Tobias Gray came. "}, ""),
    ("Anna Renn won.", "Yesterday Renn won.", {"before": "Tobias Renn met Anna Renn. "}, ""),
    ("The Kent Brewery burned.", "In May the York brewery burned.", {"before": "The Kent Brewery. "}, ""),
    ("Anna of Kent won.", "Yesterday Tobias of Kent won.", {"before": "Then Anna of Kent came. "}, ""),
    # A short form in capitals is no word in small letters, and is known as written.
    ("The Americans saw the bridge.", "He told us about the bridge.", {"before": ""}, ""),
    ("The U.S. saw the bridge.", "Us he told about the bridge.", {"before": ""}, ""),
    ("The United Nations saw the bridge.", "Un hombre saw the bridge.", {"before": ""}, ""),
    ("The EU saw the bridge.", "Eu saw the bridge.", {"before": ""}, ""),
    ("The Americans saw the US bridge.", "The US saw the bridge.", {"before": ""}, None),
    ("The United States saw it.", "The U.S. saw the bridge.", {"before": ""}, None),
    ("The United States saw it.", "The US's army saw the bridge.", {"before": ""}, None),
    ("The US army saw the bridge.", "The US-led army saw the bridge.", {"before": ""}, None),
])  # fmt: skip
def test_a_name_or_date_comes_from_the_quote_or_from_what_it_leaves_open(sentence, quote, more, fault):
    found = why(sentence, quote, **more)
    assert (found is None) is (fault is None)
    if fault is not None:
        assert found.startswith(f"not in the cited text: {fault}")


def test_the_year_of_an_incomplete_date_is_that_of_the_heading_or_the_last_one_named():
    between = "1915\n\nIn 1840 it rained, in 1843 it did not. "
    for year, fits in (("1915", True), ("1843", True), ("1840", False)):
        reason = why(f"They landed in May {year}.", "They landed in May.", before=between)
        assert (reason is None) == fits


@pytest.mark.parametrize(("written", "quote", "years"), [
    ("20 December 2018", "They landed last year.", {2017}),
    ("20 December 2018", "They will land next year.", {2019}),
    ("20 December 2018", "They landed this year.", {2018}),
    ("20 December 2018", "They are to land in June.", {2018, 2019}),
    ("20 December 2018", "They are to land in December.", {2018}),
    ("20 December 2018", "They landed in 1914.", {1914}),
    ("3 January 2019", "They landed in December.", {2018, 2019}),
    ("20. Dezember 2018", "Sie landeten im Juni.", {2018, 2019}),
    ("20 décembre 2018", "Ils sont arrivés l'année dernière.", {2017}),
    ("20 декабря 2018", "Они прибыли в прошлом году.", {2017}),
    ("2018年12月20日", "彼らは昨年到着した。", {2017}),
])  # fmt: skip
def test_a_time_that_is_left_open_is_completed_by_the_date_before_it(written, quote, years):
    before, candidates = f"{written}\n\n", (1914, *range(2016, 2021))
    carried = {year for year in candidates if why(f"They landed in {year}.", quote, before=before) is None}
    assert carried == years


def test_names_and_numbers_of_the_question_count_where_the_sentence_tells_more():
    question = "Who helped the Heron in 1843?"
    quote = "Ada Lovelace helped him."
    assert why("Ada Lovelace helped the Heron in 1843.", quote, question=question) is None
    assert why("The Heron helped in 1843.", quote, question=question) is not None
    told = why("Ada Lovelace helped the Crow in 1843.", quote, question=question)
    assert told == "not in the cited text: Crow"


def test_either_name_of_an_alias_will_do():
    def names(chunk_ids):
        return {"Corvin Drake": ("the Heron", "Red Tam")} if list(chunk_ids) == ["c"] else {}

    quote = "The Heron stole the lamp."
    assert why("Corvin Drake stole the lamp.", quote, before="") is not None
    assert why("Corvin Drake stole the lamp.", quote, before="", names=names) is None
    assert why("The Heron stole the lamp.", "Corvin Drake stole the lamp.", before="", names=names) is None
    assert why("Eve Drake stole the lamp.", quote, before="", names=names) is not None


def test_a_name_in_a_script_without_spaces_is_looked_for_as_it_stands():
    aliases = {"独眼龙": ("Gao Chengyue",)}
    assert with_aliases("独眼龙偷了灯。", aliases).endswith("Gao Chengyue")
    assert with_aliases("高承岳偷了灯。", aliases) == "高承岳偷了灯。"
    assert with_aliases("天上有云。", {"云": ("Lin Yunzhou",)}) == "天上有云。"


@pytest.mark.parametrize(("sentence", "quote", "question"), [
    ("The bridge was built in 1860.", "The bridge was built.", "Was it built in 1850 or in 1860?"),
    ("The bridge was built in 1860 of stone.", "The bridge was built of stone.", "Was it 1850? Or 1860?"),
    ("The bridge was built in May.", "The bridge was built.", "Is it from May, from June 1860?"),
    ("Tobias Renn wrote it in ink.", "It was written in ink.", "Did Ilse Renn or Tobias Renn write it?"),
    ("Tobias schrieb den Brief.", "Den Brief schrieb man.", "War es Ilse oder Tobias?"),
    ("Tobias wrote the letter.", "The letter was written.", "是Ilse还是Tobias?"),
])  # fmt: skip
def test_a_question_lends_no_alternative(sentence, quote, question):
    assert why(sentence, quote, question=question, before="") is not None


@pytest.mark.parametrize(("date", "question"), [
    ("on 23 May 1860", "Who wrote to Ilse on 23 May 1860?"),
    ("on May 23, 1860", "Who wrote to Ilse on May 23, 1860?"),
    ("in May 1860", "Who wrote in May 1860?"),
    ("in May", "Who wrote in May?"),
    ("on 23 May", "Who wrote on the 23rd of May?"),
    ("in 1860", "Who wrote in 1860, and whom?"),
    ("on 1860-05-23", "Who wrote on 1860-05-23?"),
])  # fmt: skip
def test_a_question_lends_its_only_date(date, question):
    assert why(f"Tobias wrote a letter {date}.", "Tobias wrote a letter.", question=question) is None


@pytest.mark.parametrize(("sentence", "quote", "title", "question", "carried"), [
    # A name stands in the title alone, or in the question.
    ("The allotment club Birkenau elected a board.", "The club elected a board.", "Birkenau", "", True),
    ("The club Lindenau elected a board.", "The club elected a board.", "Birkenau", "", False),
    ("Ada Renn was elected chair.", "She was elected chair.", "Minutes", "What became of Ada Renn?", True),
    # Yes and no say nothing of their own.
    ("Yes, the club elected a board.", "The club elected a board.", "Minutes", "", True),
    ("No, the club sold the hut.", "The club sold the hut.", "Minutes", "", True),
    # What a quote denies, or affirms, in the same words.
    ("The club did not elect a board.", "The club elects a board.", "Minutes", "", False),
    ("The club is open on Mondays.", "The club isn't open on Mondays.", "Minutes", "", False),
    # Nor does a salutation; the name behind it is one.
    ("Dear Ms Holm, the rent is due.", "The rent is due. Ms Holm pays it.", "Minutes", "", True),
    ("Dear Ms Renn, the rent is due.", "The rent is due. Ms Holm pays it.", "Minutes", "", False),
    ("Sehr geehrte Frau Holm, die Miete ist hoch.", "Frau Holm, die Miete ist hoch.", "Brief", "", True),
    # A small number that points back at what was named; not where a quote counts it.
    ("The two clubs merged.", "The clubs Birkenau and Lindenau merged.", "Minutes", "", True),
    ("Both clubs merged.", "The clubs Birkenau and Lindenau merged.", "Minutes", "", True),
    ("The two clubs merged.", "The three clubs merged.", "Minutes", "", False),
    ("Two clubs merged.", "The clubs merged.", "Minutes", "", False),
    ("The six clubs merged.", "The clubs merged.", "Minutes", "", False),
    # A form of a word is a word in common.
    ("Assemblies voted.", "The assembly met.", "Minutes", "", True),
    ("Bananas float.", "The assembly met.", "Minutes", "", False),
])  # fmt: skip
def test_what_counts_for_a_sentence(sentence, quote, title, question, carried):
    why = fault(sentence, [source(quote, title=title)], question=question)
    assert (why is None) is carried, why


@pytest.mark.parametrize(("sentence", "quote", "open_to_code"), [
    ("Its director is Tang Jiajun.", "厂长唐家骏。", True),
    ("Its director is 唐家骏.", "厂长唐家骏。", False),
    ("The works are in Germany.", "工厂在德国。", False),
    ("The team from Germany won the cup.", "Die Mannschaft aus Deutschland gewann den Pokal.", False),
    ("The museum is run by Klavdia Yermakova.", "Музеем руководит Клавдия Ермакова.", True),
    ("醸造所は 1998 年に開業しました。", "Tidewell Brewery was opened in 1998.", True),
    ("Hedwig Obermoser founded the museum.", "Hedwig Obermoser gründete das Museum.", False),
    ("The orchard sold its press.", "Der Obstgarten hat seine Presse verkauft.", True),
    ("Ada Lovelace landed.", "Ada Lovelace landed.", False),
    # Names in brackets, in their own spelling, do not decide in which script a sentence is.
    ("咖啡馆卖大黄蛋糕（Rhabarberkuchen）。", "Das Café verkauft Rhabarberkuchen.", True),
    # Japanese and Chinese share characters, not names.
    ("灯台守はトマス・クエル（托马斯·奎尔）です。", "看守人托马斯·奎尔带着他的狗离开了。", True),
    ("犬を連れて島を去りました。", "看守人托马斯·奎尔带着他的狗离开了。", True),
    ("最后一位看守人是托马斯·奎尔。", "最後の灯台守トマス・クエルは犬を連れて去った。", True),
    ("门票为6欧元。", "门票六欧元。", False),
    ("住所は東京都です。", "東京都千代田区。", False),
    ("東京都千代田区。", "住所は東京都千代田区である。", False),
    ("門票為六歐元，每週六有船從赫斯特維克出發。", "門票六歐元。", False),
])  # fmt: skip
def test_what_code_cannot_compare_of_a_translated_sentence_is_told(sentence, quote, open_to_code):
    sources = [source(quote)]
    assert fault(sentence, sources) is None
    assert is_unchecked(sentence, sources) is open_to_code


@pytest.mark.parametrize(("sentence", "quote", "missing"), [
    ("Its director is 唐家驹.", "厂长 1958 年。", None),  # without known names
    ("It started in 1985.", "1958 年投产。", "1985"),
    ("The team from France won the cup.", "Die Mannschaft aus Deutschland gewann den Pokal.", "France"),
    ("Hedwig Obermann founded the museum.", "Hedwig Obermoser gründete das Museum.", "Obermann"),
    ("ヤン・クエルは1979年に去りました。", "最后一位看守人于1978年离开了岛屿。", "1979"),
])  # fmt: skip
def test_numbers_and_names_in_the_same_script_are_compared_across_languages(sentence, quote, missing):
    why = fault(sentence, [source(quote)])
    assert why == (f"not in the cited text: {missing}" if missing else None)
