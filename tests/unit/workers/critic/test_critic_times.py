"""Which times a sentence names, and that a citation says them."""

import pytest

from workers.critic.draft import stated_times


@pytest.mark.parametrize(("text", "times"), [
    ("The contract was signed on May 3rd, 2019, and amended in June 2021.", ("2019-05-03", "2021-06")),
    ("It holds as of 2024-02-29.", ("2024-02-29/..",)),
    ("He was mayor from 1839 to 1842 and a baker.", ("1839/1842",)),
    ("He was mayor between May 1839 and June 1842.", ("1839-05/1842-06",)),
    ("The war of 1914–1918 ended it.", ("1914/1918",)),
    ("It has been open since 1999.", ("1999/..",)),
    ("It was open until 2021.", ("../2021",)),
    ("The lighthouse was finished in 1811 on the Bell Rock.", ("1811",)),
    ("It was signed on 3 May 2019 on behalf of the town.", ("2019-05-03",)),
    ("It was closed from 2021 on, as was the mill.", ("2021/..",)),
    ("It didn't open until 1851, and was a mill until 1840.", ("1851", "../1840")),
    ("It was never open; it was a mill until 1840.", ("../1840",)),
    ("In 1843 – 1200 men worked there.", ("1843",)),
    ("It was moved between May 1843 and March 1843.", ("1843-05", "1843-03")),
    ("It stood from May 1843 to 1843.", ("1843-05/1843",)),
    ("合同于2019年5月3日签订。", ("2019-05-03",)),
    ("他从1839年到1842年任市长。", ("1839/1842",)),
    ("自1999年起开放。", ("1999/..",)),
    ("Er war von 1839 bis 1842 Bürgermeister.", ("1839/1842",)),
    ("Der Vertrag gilt seit dem 3. Mai 2019.", ("2019-05-03/..",)),
    ("Il fut maire de 1839 à 1842.", ("1839/1842",)),
    ("Le musée est ouvert depuis mai 1999.", ("1999-05/..",)),
    ("El museo estuvo abierto hasta el 3 de mayo de 2021.", ("../2021-05-03",)),
    ("Он был мэром с 1839 до 1842 года.", ("1839/1842",)),
    ("彼は1839年から1842年まで市長だった。", ("1839/1842",)),
    ("この橋は1999年まで使われた。", ("../1999",)),
    ("Une foule de 1500 personnes.", ()),
    ("The bridge has 1500 rivets.", ()),
    ("It opens on 3 May.", ()),
    ("Room 1843 is locked.", ()),
])  # fmt: skip
def test_the_times_that_a_sentence_names(text: str, times: tuple[str, ...]) -> None:
    assert stated_times(text) == times


def test_a_list_of_many_dates_is_cut() -> None:
    assert len(stated_times("; ".join(f"in {year}" for year in range(1900, 1920)))) == 5
