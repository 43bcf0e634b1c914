"""Texts compared: whether a sentence is carried by what it cites, and how alike two are."""

import pytest

from workers.core.answers.check import missing_names, speaks_of, without_markers
from workers.core.answers.check_numbers import missing_numbers
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.answers.likeness import Likeness
from workers.core.language.numerals import months, numbers

QUOTE = (
    "Brunel's Great Western Railway opened on 30 June 1841 and cost £6.5 million; "
    "1,200 men from Germany built it."
)


def test_a_sentence_carried_by_its_quote_passes():
    for sentence in [
        "The Great Western Railway opened in 1841.",
        "It was opened on June 30, 1841.",
        "Brunel built it with 1200 German men.",
        "It cost £6,500,000.",
        "Besides Germany, no country is named.",
    ]:
        assert missing_numbers(sentence, QUOTE) == [], sentence
        assert missing_names(sentence, QUOTE) == [], sentence


def test_a_sentence_that_says_more_is_found_out():
    for sentence, lacking in [
        ("It opened in 1842.", ["1842"]),
        ("It opened in July 1841.", ["july"]),
        ("It cost 6.5 billion.", ["6.5 billion"]),
        ("Stephenson built it.", ["Stephenson"]),
        ("NASA paid for it.", ["NASA"]),
        ("Brunelleschi built it.", ["Brunelleschi"]),
        ("Second Western Railway opened.", ["Second"]),
        ("Besides France, no country is named.", ["France"]),
        ("It ran to B-52.", ["B-52"]),
    ]:
        assert missing_numbers(sentence, QUOTE) + missing_names(sentence, QUOTE) == lacking, sentence


def test_a_sentence_in_a_script_without_spaces_is_compared_by_pairs_of_characters():
    for sentence, stands in [
        ("白苓的姑母是秦三娘。", "秦三娘是白苓的姑母。"),
        ("日本の首都は東京だ。", "東京は日本の首都である。"),
        ("เมืองหลวงของไทยคือกรุงเทพ", "กรุงเทพเป็นเมืองหลวงของประเทศไทย"),
        ("မြို့တော်မှာနေပြည်တော်ဖြစ်သည်။", "နေပြည်တော်သည်မြန်မာနိုင်ငံ၏မြို့တော်ဖြစ်သည်။"),
        ("秦三娘在IBM公司工作。", "IBM公司雇用了秦三娘。"),
    ]:
        assert speaks_of(sentence, stands), sentence
        assert missing_names(sentence, stands) == [], sentence
        assert overlap(terms(sentence), stands) > overlap(terms(sentence), "別の話") == 0, sentence


def test_a_sentence_of_another_matter_is_found_out():
    assert speaks_of("the railways", QUOTE)
    assert not speaks_of("bananas are yellow", QUOTE)
    assert not speaks_of("白苓的姑母是秦三娘。", "長江流入東海。")
    assert missing_names("秦三娘在IBM公司工作。", "秦三娘在公司工作。") == ["IBM"]


def test_a_date_in_digits_carries_its_month():
    assert missing_numbers("She was born on 10 December 1815.", "born 1815-12-10") == []
    assert months("10.07.1843") == {"july", "october"}


def test_numbers_have_one_form():
    numerals = numbers("1,000 and a thousand? 1’000 twenty-one −39 minus 7 1840s 19th")
    assert set(numerals) == {"1000", "21", "-39", "-7", "1840", "19"}


def test_a_first_word_known_in_small_letters_is_no_name():
    assert missing_names("Mills burned.", "In the town mills burned.") == []
    assert missing_names("Mills burned.", "The town burned.") == ["Mills"]


def test_markers_are_the_codes_business():
    assert without_markers("She wrote [1, 2] it [3].") == "She wrote it."


def test_a_decimal_may_be_rounded_and_a_share_told_in_percent():
    for sentence, stands in [
        ("The mean rating is 7.46.", "rating: 7.461538461538462"),
        ("The mean is 7.50.", "mean: 7.4961"),
        ("It fell by -7.5 degrees.", "change: -7.46"),
        ("It is 45% of them.", "share: 0.45"),
        ("It is 45.7 percent of them.", "share: 0.4567 · movies: 3"),
        ("A rate of 4.6%.", "rate: 4.56%"),
        ("Es sind 45,7 Prozent.", "Anteil: 0,4567"),
        ("Это 45,7 процента.", "доля: 0,4567"),
    ]:
        assert missing_numbers(sentence, stands) == [], sentence


def test_what_is_no_rounding_of_a_stated_number_is_found_out():
    for sentence, stands, lacking in [
        ("The mean rating is 7.4615.", "rating: 7.46", "7.4615"),  # more than was stated
        ("There are 7 movies.", "rating: 7.4615", "7"),  # counts something else
        ("It cost 7.5 million.", "rating: 7.46", "7.5 million"),
        ("It fell by 7.5 degrees.", "change: -7.46", "7.5"),
        ("It is 0.0.", "share: 0.04", "0.0"),
        ("45 movies are 45% of them.", "share: 0.45", "45"),
        ("It is 45% of them.", "rate: 0.45%", "45"),
        ("It is 45% of them.", "price: $0.45", "45"),
        ("It is 4.6% of them.", "rating: 4.56", "4.6"),
        ("All of them, 100%.", "share: 0.999", "100"),
        ("Release 3.1 did it.", "release 3.14.2 did it", "3.1"),
    ]:
        assert missing_numbers(sentence, stands) == [lacking], sentence


def test_a_number_in_words_that_begins_a_sentence_is_no_name():
    stands = "movies: 12 · actor: Tom Hanks"
    assert missing_names("Twelve movies feature Tom Hanks.", stands) == []
    assert missing_numbers("Twelve movies feature Tom Hanks.", stands) == []
    assert missing_names("Twenty-one movies feature Tom Hanks.", stands) == []
    assert missing_numbers("Thirteen movies feature Tom Hanks.", stands) == ["thirteen"]
    assert missing_names("He acted in Twelve Monkeys.", stands) == ["Twelve", "Monkeys"]
    assert missing_names("Seven Samurai was made in Japan.", "made in Japan") == ["Seven", "Samurai"]


def test_an_opener_before_a_comma_and_a_name_is_no_name():
    stands = "Keanu Reeves acted in The Matrix"
    for opener in ("Yes", "However", "Finally"):
        assert missing_names(f"{opener}, Keanu Reeves acted in The Matrix.", stands) == []
        assert missing_names(f"{opener}, Tom Reeves acted in The Matrix.", stands) == ["Tom"]
    assert missing_names("Lilly, Keanu and others made The Matrix.", stands) == ["Lilly"]


def test_another_form_of_what_stands_there_passes():
    for sentence, stands in [
        ("The Canadian team won.", "The team of Canada won."),
        ("The Jordanian and the French team won.", "The teams of Jordan and France won."),
        ("It hangs in the Freer Galleries.", "It hangs in the Freer Gallery."),
        ("It was in Quebec.", "Il est à Québec."),
        ("The NAHL hired him.", "The North American Hockey League hired him."),
        ("It came out on August 10, 2014.", "Published Aug. 10, 2014"),
        ("It happened in 2018–19.", "It happened in 2018-2019."),
        ("It was in 2019.", "Fri 15 Feb 19"),
        ("It was in 1999.", "posted 3-Sept-99, revised"),
        ("It cost £6.5m.", "It cost £6.5 million."),
        ("It ended in the fifteenth century.", "It ended on 22 August 1485."),
        ("It began in the 1840s.", "It began in 1843."),
        ("It began in the third quarter of 2006.", "It begins in early September. July 23, 2006"),
        ("It began in the 4th quarter of 2006.", "It began on 2 Oct 2006."),
        ("About 1,500 came.", "In all, 1,487 came."),
        ("She came in 2nd.", "She came in second."),
        ("Throughout the war Mr. Holt stayed.", "Holt stayed in the war."),
        ("The wheel weighs 2,600 kg.", "The wheel weighs 2.6 tonnes."),
        ("Five climbers fell.", "Two climbers fell, and then others: five in all."),
        ("Three climbers fell.", "Two climbers fell on Monday, three climbers on Tuesday."),
        ("It is 11 200 meters long.", "It is 11,2 km long."),
        ("Die Arbeit an dem Haus dauerte zwei Jahre.", "Die Arbeit an dem Haus dauerte 24 Monate."),
        ("It took 2 days.", "It took 48 hours."),
        ("10日間かかった。", "240時間かかった。"),
        ("Put je dug 5300 metara.", "Put je dug 5,3 kilometra."),
        ("قطع ثلاثة آلاف ومئتي شجرة.", "قطع 3200 شجرة."),
        ("Die Zahl sank um zehn Prozent.", "Die Zahl sank um ein Zehntel."),
        ("كان العدد ثلاثمئة واثني عشر.", "كان العدد 312."),
        ("היו שלוש מאות ושנים עשר חברים.", "היו 312 חברים."),
        ("Han kommer i marts.", "Sønnen overtager til marts."),
        ("Зал вместил 2500 гостей.", "Зал вместил две с половиной тысячи гостей."),
        ("Зал вместил 1500 гостей.", "В зале, перед полутора тысячами гостей."),
        ("Der kom 1.500 gæster.", "Der kom halvandet tusind gæster."),
        ("Eljött 1500 vendég.", "Eljött másfél ezer vendég."),
        ("Paikalla oli 1 500 vierasta.", "Paikalla oli puolitoista tuhatta vierasta."),
        ("Vennero circa cinquecento ospiti.", "Vennero mezzo migliaio di ospiti."),
        ("Ήρθαν 1.200 μέλη.", "Μίλησε σε χίλια διακόσια μέλη."),
        ("Atvyko keturiasdešimt septynis svečiai.", "Atvyko 47 svečiai."),
        ("Prodana 2016 m. gegužę.", "Prodana 2016 m. gegužės 21 d."),
        ("Prišlo takmer 1 900 hostí.", "Prišlo 1 870 hostí."),
        ("করিম ২০১৫ সালের মে মাসে আসেন।", "করিম ৭ মে ২০১৫ তারিখে আসেন।"),
    ]:
        assert missing_numbers(sentence, stands) + missing_names(sentence, stands) == [], sentence


def test_another_thing_than_stands_there_is_found_out():
    for sentence, stands, lacking in [
        ("The Canadian team won.", "The team of Cambodia won.", ["Canadian"]),
        ("Maria came.", "Mario came.", ["Maria"]),
        ("Alcoholics Anonymous towed it.", "The AA towed it.", ["Alcoholics", "Anonymous"]),
        ("The NHL hired him.", "The North American Hockey League hired him.", ["NHL"]),
        ("It came out in August.", "It came out, he said with an august smile, in 2014, mar 7.", []),
        ("It came out in May.", "It may be. In 2014 it was.", []),
        ("It came out in April.", "It came out on Mar. 7.", ["april"]),
        ("It happened in 2019.", "It happened in 2018-11.", ["2019"]),
        ("It was in 2019.", "It was on 15 Feb 19:30.", ["2019"]),
        ("It was in 2019.", "In February 19 came.", ["2019"]),
        ("It cost 230 million.", "It was 230 m long.", ["230 million"]),
        ("It ended in the 15th century.", "It ended in 1501.", ["15"]),
        ("It began in the 1840s.", "It began in 1851.", ["1840"]),
        ("It began in the third quarter of 2006.", "It began in September.", ["2006"]),
        ("It rose in the third quarter of 2006.", "In September 2006, the fourth quarter.", ["third"]),
        ("The wheel weighs 2,500 kg.", "The wheel weighs 2.6 tonnes.", ["2,500"]),
        ("The wheel weighs 2,600 m.", "The wheel weighs 2.6 tonnes.", ["2,600"]),
        ("The wheel weighs 2,600.", "The wheel weighs 2.6 tonnes.", ["2,600"]),
        ("It lasted 25 months.", "It lasted two years.", ["25"]),
        ("10日に完成した。", "240時間かかった。", ["10"]),
        ("于10日完成。", "用了240小时。", ["10"]),
        ("它于3日开放。", "历时72小时。", ["3"]),
        ("It opened 5 years ago.", "It takes 60 months to grow.", ["5"]),
        ("It took 2 weeks.", "It took 336 hours.", ["2"]),
        ("Three climbers fell.", "Two climbers fell within three hours.", ["three"]),
        ("Drei Boote sanken.", "Am 3. Mai sanken zwei Boote.", ["drei"]),
        ("Am Ende kamen acht Gäste zu uns.", "Am Ende kamen sieben Gäste zu uns.", ["acht"]),
        ("Darauf gab niemand acht, so heißt es.", "Darauf achtete niemand, wie es heißt.", []),
        ("Der kom 2.500 gæster.", "Der kom halvandet tusind gæster.", ["2.500"]),
        ("করিম ৭ মে ২০১৫ তারিখে আসেন।", "করিম ৭ মার্চ ২০১৫ তারিখে আসেন।", ["5."]),
        ("He scored in the third quarter.", "He scored twice in September.", ["third"]),
        ("About 1,487 came.", "In all, 1,500 came.", ["1,487"]),
        ("Exactly 1,500 came.", "In all, 1,487 came.", ["1,500"]),
    ]:
        assert missing_numbers(sentence, stands) + missing_names(sentence, stands) == lacking, sentence


POOL = "Ada Brook and other guests complain about the dirty pool."
ALSO_POOL = "Cora Lund and other guests complain about the dirty pool."
CLOSED = "Dina Holt and other guests complain about the closed pool."
COFFEE = "Ada Brook and other guests complain about the cold coffee."
TEXTS = (POOL, ALSO_POOL, CLOSED, COFFEE)


@pytest.fixture
def likeness() -> Likeness:
    return Likeness(TEXTS)


def test_what_all_say_makes_no_two_alike_nor_does_who_says_it(likeness: Likeness) -> None:
    assert likeness.of(POOL, COFFEE) == 0.0
    assert likeness.of(POOL, ALSO_POOL) == pytest.approx(1.0)
    assert 0.0 < likeness.of(POOL, CLOSED) < 0.5
    assert likeness.of(POOL, CLOSED) == likeness.of(CLOSED, POOL)


def test_texts_group_around_the_first_that_is_like_them(likeness: Likeness) -> None:
    assert likeness.grouped(TEXTS, 0.6) == {POOL: POOL, ALSO_POOL: POOL, CLOSED: CLOSED, COFFEE: COFFEE}
    assert likeness.grouped(TEXTS, 0.05) == {POOL: POOL, ALSO_POOL: POOL, CLOSED: POOL, COFFEE: COFFEE}


def test_a_word_is_the_less_new_the_more_often_it_was_said(likeness: Likeness) -> None:
    once = dict.fromkeys(likeness.words(POOL), 1)
    assert likeness.novelty(POOL, {}) == 1.0
    assert likeness.novelty(POOL, once) == pytest.approx(0.5)
    assert likeness.novelty(POOL, once) < likeness.novelty(CLOSED, once) < likeness.novelty(COFFEE, once)


def test_what_has_digits_makes_no_two_alike() -> None:
    texts = ("It is cold in room 7.", "It is loud in room 7.", "It is loud in room 8.")
    likeness = Likeness(texts)
    assert likeness.of(texts[0], texts[1]) == 0.0
    assert likeness.of(texts[1], texts[2]) == pytest.approx(1.0)


def test_nouns_are_no_names_in_german() -> None:
    coffee, more, noise = texts = (
        "Der Kaffee ist nicht heiß, und es gibt keinen mehr.",
        "Die Gäste klagen über den Kaffee.",
        "Die Gäste klagen über den Lärm an der Straße.",
    )
    likeness = Likeness(texts)
    assert "kaffe" in likeness.words(coffee)
    assert likeness.of(coffee, more) > likeness.of(coffee, noise)


def test_names_count_where_a_text_says_nothing_else() -> None:
    texts = ("Ada Brook.", "Cora Lund.", "Ada Brook, Dina Holt.")
    likeness = Likeness(texts)
    assert likeness.of(texts[0], texts[1]) == 0.0
    assert likeness.of(texts[0], texts[2]) > 0.0


def test_texts_without_words_are_like_nothing_but_themselves() -> None:
    for texts in [(), ("",), ("It is.", "It is.")]:
        likeness = Likeness(texts)
        for text in texts:
            assert likeness.of(text, text) == 1.0
            assert likeness.novelty(text, {}) == 0.0
        assert set(likeness.grouped(texts, 0.5)) == set(texts), texts


@pytest.mark.parametrize(("sentence", "stands"), [
    ("More than two thousand letters were read.", "2,140 letters were read."),
    ("Mehr als dreitausend Briefe kamen.", "Es kamen 3.250 Briefe."),
    ("Plus de cinq mille visiteurs sont venus.", "5 400 visiteurs sont venus."),
    ("Trvání smlouvy: dva roky.", "Smlouva je na 24 měsíců."),
    ("계약은 3년이다.", "계약은 36개월이다."),
    ("عدد الكتب 43 ألف", "بلغ عدد الكتب ثلاثة وأربعين ألفا"),
])  # fmt: skip
def test_a_number_may_be_less_than_an_exact_one_or_in_another_unit_of_time(sentence, stands):
    assert missing_numbers(sentence, stands) == []


@pytest.mark.parametrize(("sentence", "stands", "lacking"), [
    ("More than 2,200 letters were read.", "2,140 letters were read.", ["2,200"]),
    ("More than 1,000 letters were read.", "1,900 letters were read.", ["1,000"]),
    ("Anna is 24 months old.", "The contract runs for two years.", ["24"]),
    ("Arrivarono sette navi.", "Arrivarono nove navi.", ["sette"]),
    ("Der kom seks skibe.", "Der kom fire skibe.", ["seks"]),
])  # fmt: skip
def test_a_number_that_counts_or_rounds_otherwise_is_missing(sentence, stands, lacking):
    assert missing_numbers(sentence, stands) == lacking


@pytest.mark.parametrize(("sentence", "stands", "known", "lacking"), [
    ("司机小郑来接我们。", "司机小吴来接我们。", ["小吴"], ["小郑"]),
    ("小吴是我们的司机。", "司机小吴来接我们。", ["小吴"], []),
    ("คุณครูคือ วิชัย ทองแก้ว", "คุณครู วิชัย ทองใบ มาแล้ว", ["วิชัย ทองใบ"], ["ทองแก้ว"]),
    ("Написана Иваном Орловым книга вышла вчера.", "Вчера вышла книга. Автор: Иван Орлов.", [], []),
    ("Frühestens im Mai kommt Anna.", "Anna kommt im Mai.", [], []),
])  # fmt: skip
def test_names_of_other_families_are_missing_and_first_words_are_none(sentence, stands, known, lacking):
    assert missing_names(sentence, stands, known=known) == lacking
