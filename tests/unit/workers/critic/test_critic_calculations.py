"""Values that no quote holds: an answer says them with their calculation, or not at all."""

import pytest
from doubles.drafts import scored
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from hopline.models.answers import Calculation
from workers.core.models.tools import FoundBy
from workers.core.records import ScoredFact
from workers.critic.schema import AnswerDraft
from workers.critic.synthesize import WritingInput, synthesize

FACTS = {
    "rent": ("Lease", "The yearly rent is 14,400 euros."),
    "deposit": ("Lease", "The tenant pays a deposit of 3,000 euros."),
    "begin": ("Lease", "The lease began on 3 May 2019."),
    "end": ("Lease", "The lease ended on 12 June 2021."),
    "area": ("Lease", "The shop has 80 m2 and a fee of 300 dollars."),
    "budget": ("Budget", "The council set a budget of 85,000 euros for the bridge."),
    "cost": ("Budget", "The bridge cost 88,650 euros in the end."),
    "grant": ("Budget", "A grant covered 20% of the budget."),
    "notice": ("Lease", "The notice period is 18 months."),
    "none": ("Budget", "The council received 0 complaints."),
    "june": ("Sales", "Month: June; Sold: 1,250; Returned: 25"),
    "july": ("Sales", "Month: July; Sold: 1,750; Returned: 14"),
    "august": ("Sales", "Month: August; Sold: 900; Returned: 9"),
    "weber": ("Offers", "The firm Weber offered 41,200 euros."),
    "kranz": ("Offers", "The firm Kranz offered 38,900 euros, and so Holm asked for 44,000 euros."),
    "born": ("Register", "Ida Brandt was born on 10 December 1815."),
    "died": ("Register", "Ida Brandt died on 27 November 1852."),
    "built": ("Register", "The mill was built in 1790."),
    "miete": ("Mietvertrag", "Die Miete beträgt 14.400 Euro im Jahr, zahlbar jedes Quartal."),
    "zujin": ("租约", "每年的租金是14,400元。"),
    "loyer": ("Bail", "Le loyer annuel est de 14 400 euros."),
    "arenda": ("Договор", "Годовая аренда составляет 14 400 рублей."),
    "yachin": ("契約", "年間賃料は1,440万円です。"),
    "bailing": ("登记", "她生于1815年12月10日，卒于1852年11月27日。"),
    "vat": ("Invoice", "The net price is 1,250.50 euros, and VAT of 19% is added."),
    "loan": ("Loan", "The loan of 3,000 euros bears interest of 12% a year."),
    "lamp": ("Shop", "A lamp costs 50 euros, and members get 20% off."),
    "kim": ("Debts", "Kim paid Zed 5,000 euros of a debt of 15,000 euros."),
    "crew": ("Crew", "The crew has 12 people; a boat costs 5 euros, a van 7 euros."),
    "boat": ("Crew", "The crew hired a boat for 5 euros and a van for 7 euros."),
    "wage": ("Payroll", "The wage rose from 10,000 to 10,500 euros."),
    "stove": ("Stove", "The stove of 2 kW ran for 3 hours at a price of 1 euro per kWh."),
    "turnover": ("Turnover", "The turnover was 3 million euros, and the costs came to 1 million euros."),
    "uriage": ("売上", "売上高は3億円、費用は1億円です。"),
    "cold": ("Weather", "The temperature was -5 °C at night and 12 °C by day."),
    "fees": ("Fees", "The fees are 1 200 € and 1 300 €."),
    "apples": ("Market", "Apples cost 2 euros/kg, and Lee bought 5 kg."),
    "room": ("Room", "The room is 4 m long and 5 m wide."),
    "train": ("Train", "The train covered 120 km in 2 hours."),
    "boards": ("Club", "The club has 5 boards."),
    "ein": ("Haushalt", "Vom Haushalt von 15.000 Euro wurden 5.000 Euro ausgegeben."),
    "row1": ("graph", "title: The Ferry; budget: 63000000"),
    "row2": ("graph", "title: The Pier; budget: 21000000"),
}
NUMBERS = {name: n for n, name in enumerate(FACTS, 1)}


def written(sentence, value, expression, *operands, question="What does it come to?", citations=()):
    """Return what the writer makes of a drafted sentence with a calculation.

    Args:
        sentence: of the draft.
        value: of the calculation.
        expression: of the calculation.
        operands: each the name of a fact and what stands there, between a colon.
        question: of the user.
        citations: names of facts; those of the operands unless given.
    """
    library = Library()
    for title in dict.fromkeys(title for title, _text in FACTS.values() if title != "graph"):
        library.add(title, *((text, [title]) for of, text in FACTS.values() if of == title))
    named = [operand.partition(":")[::2] for operand in operands]
    cites = [NUMBERS[name] for name in citations or dict.fromkeys(name for name, _text in named)]
    reply = {
        "answerable": True,
        "sentences": [
            {
                "text": sentence,
                "citations": cites,
                "calculations": [
                    {
                        "value": value,
                        "expression": expression,
                        "operands": [
                            {"citation": NUMBERS.get(name, 99), "number": text} for name, text in named
                        ],
                    }
                ],
            }
        ],
    }
    model = ScriptedModel({AnswerDraft: AnswerDraft.model_validate(reply)})
    facts = tuple(map(_fact, FACTS))
    calls = {"c1": FoundBy(tool="movies", arguments={"year": 1999}, words="movies: 1999")}
    writing = WritingInput(question=question, sub_questions=(), facts=facts, calls=calls)
    return synthesize(writing, ports_for(library, model, MemoryVectors())).result, model


def _fact(name: str) -> ScoredFact:
    title, text = FACTS[name]
    score = 0.99 - NUMBERS[name] / 100
    if title != "graph":
        return scored(text, score, of=title)
    place = {"call": "c1", "nth": NUMBERS[name], "said": text, "row": {}, "nodes": [], "relationships": []}
    return scored(text, score, of=title, source_fact_id=None, place=place)


BOTH = ("budget:85,000", "cost:88,650")


@pytest.mark.parametrize(("sentence", "calculation", "text", "result"), [
    ("One quarter's rent is 3,600 euros.", ("3,600 euros", "14,400 / 4", "rent:14,400"),
     "One quarter's rent is 3,600 euros (14,400 ÷ 4) [1].", "3600"),
    ("The monthly rent is 1,200 euros.", ("1,200", "14,400 euros / 12 months", "rent:14,400 euros"),
     "The monthly rent is 1,200 euros (14,400 euros ÷ 12) [1].", "1200"),
    ("The bridge cost 3,650 euros more than its budget.", ("3,650 euros", "88,650 - 85,000", *BOTH),
     "The bridge cost 3,650 euros (88,650 − 85,000) more than its budget [1][2].", "3650"),
    ("The bridge was 4.3% over its budget.", ("4.3%", "(88,650 − 85,000) ÷ 85,000 × 100", *BOTH),
     "The bridge was 4.3% ((88,650 − 85,000) ÷ 85,000 × 100) over its budget [1][2].",
     "4.294117647058823529411764706"),
    ("The bridge was 4 percent over its budget.", ("4 percent", "(88650 - 85000) / 85000", *BOTH),
     "The bridge was 4 percent ((88,650 − 85,000) ÷ 85,000) over its budget [1][2].",
     "0.04294117647058823529411764706"),
    ("The bridge cost about 90,000 euros with the deposit.", ("90,000 euros", "88,650 + 3,000", "cost:88,650",
     "deposit:3,000"),
     "The bridge cost about 90,000 euros (88,650 + 3,000) with the deposit [1][2].", "91650"),
    ("The grant covered 17,000 euros.", ("17,000 euros", "85,000 * 20%", "budget:85,000", "grant:20%"),
     "The grant covered 17,000 euros (85,000 × 20%) [1][2].", "17000"),
    ("June and July together sold 3,000.", ("3,000", "1,250 + 1,750 = 3,000", "june:1,250", "july:1,750"),
     "June and July together sold 3,000 (1,250 + 1,750) [1][2].", "3000"),
    ("In all, 3,900 were sold.", ("3,900", "sum(1,250; 1,750; 900)", "june:1,250", "july:1,750",
     "august:900"),
     "In all, 3,900 (1,250 + 1,750 + 900) were sold [1][2][3].", "3900"),
    ("A month had 16 returned on average.", ("16", "average(25, 14, 9)", "june:25", "july:14", "august:9"),
     "A month had 16 ((25 + 14 + 9) ÷ 3) returned on average [1][2][3].", "16"),
    ("Of those sold in June, 2% were returned.", ("2%", "25 / 1,250", "june:25", "june:1,250"),
     "Of those sold in June, 2% (25 ÷ 1,250) were returned [1].", "0.02"),
    ("July sold the most, 1,750.", ("1,750", "max(1,250; 1,750; 900)", "june:1,250", "july:1,750",
     "august:900"),
     "July sold the most, 1,750 (max(1,250; 1,750; 900)) [1][2][3].", "1750"),
    ("Kranz made the cheapest offer.", ("Kranz", "min(41,200; 38,900)", "weber:41,200", "kranz:38,900"),
     "Kranz (min(41,200; 38,900)) made the cheapest offer [1][2].", "38900"),
    ("Three firms made an offer.", ("Three", "count(Weber; Kranz; Holm)", "weber:Weber", "kranz:Kranz",
     "kranz:Holm"),
     "Three (Weber, Kranz, Holm) firms made an offer [1][2].", "3"),
    ("There are 3 months with sales.", ("3", "count", "june:", "july:", "august:"),
     "There are 3 months with sales [1][2][3].", "3"),
    ("Ida Brandt died at the age of 36.", ("36", "years(10 December 1815; 27 November 1852)",
     "born:10 December 1815", "died:27 November 1852"),
     "Ida Brandt died at the age of 36 (10 December 1815 – 27 November 1852) [1][2].", "36"),
    ("The notice period is 1.5 years.", ("1.5 years", "18 / 12 months", "notice:18"),
     "The notice period is 1.5 years (18 ÷ 12) [1].", "1.5"),
    ("She was 36 years old.", ("36 years", "27 November 1852 - 10 December 1815",
     "died:27 November 1852", "born:10 December 1815"),
     "She was 36 years (10 December 1815 – 27 November 1852) old [1][2].", "36"),
    ("She was 36 years old.", ("36 years", "years(1815-12-10, 1852-11-27)",
     "born:10 December 1815", "died:27 November 1852"),
     "She was 36 years (10 December 1815 – 27 November 1852) old [1][2].", "36"),
    ("Sales rose by 40% in July.", ("40%", "(1750 / 1250 - 1) * 100", "july:1,750", "june:1,250"),
     "Sales rose by 40% ((1,750 ÷ 1,250 − 1) × 100) in July [1][2].", "40"),
    ("The months sold 1,300 on average.", ("1,300", "(1,250 + 1,750 + 900) / 3",
     "june:1,250", "july:1,750", "august:900"),
     "The months sold 1,300 ((1,250 + 1,750 + 900) ÷ 3) on average [1][2][3].", "1300"),
    ("Half the rent is €7,200.", ("€7,200", "14,400 euros / 2", "rent:14,400 euros"),
     "Half the rent is €7,200 (14,400 euros ÷ 2) [1].", "7200"),
    ("She was 36.", ("36", "years(10 December 1815; 27 November 1852)",
     "born:10 December 1815", "died:27 November 1852"),
     "She was 36 (10 December 1815 – 27 November 1852) [1][2].", "36"),
    ("The lease lasted 771 days.", ("771 days", "12 June 2021 - 3 May 2019", "end:12 June 2021",
     "begin:3 May 2019"),
     "The lease lasted 771 days (12 June 2021 − 3 May 2019) [1][2].", "771"),
    ("The lease lasted 25 months.", ("25 months", "months(3 May 2019; 12 June 2021)", "end:12 June 2021",
     "begin:3 May 2019"),
     "The lease lasted 25 months (3 May 2019 – 12 June 2021) [1][2].", "25"),
    ("The mill was built 62 years before she died.", ("62 years", "years(1790; 27 November 1852)",
     "built:1790", "died:27 November 1852"),
     "The mill was built 62 years (1790 – 27 November 1852) before she died [1][2].", "62"),
    ("Two years' rent is 28,800 euros.", ("28,800 euros", "14,400 * 2", "rent:14,400"),
     "Two years' rent is 28,800 euros (14,400 × 2) [1].", "28800"),
    ("The Ferry's budget was triple that of The Pier.", ("triple", "63000000 / 21000000", "row1:63000000",
     "row2:21000000"),
     "The Ferry's budget was triple (63000000 ÷ 21000000) that of The Pier [1][2].", "3"),
    ("The Ferry and The Pier cost 84 million together.", ("84 million", "63000000 + 21000000",
     "row1:63000000", "row2:21000000"),
     "The Ferry and The Pier cost 84 million (63000000 + 21000000) together [1][2].", "84000000"),
    ("Kim paid Zed one third of the debt.", ("one third", "5,000 / 15,000", "kim:5,000", "kim:15,000"),
     "Kim paid Zed one third (5,000 ÷ 15,000) of the debt [1].", "0.3333333333333333333333333333"),
    ("Two thirds of the debt are left.", ("Two thirds", "(15,000 - 5,000) / 15,000", "kim:5,000",
     "kim:15,000"),
     "Two thirds ((15,000 − 5,000) ÷ 15,000) of the debt are left [1].", "0.6666666666666666666666666667"),
    ("Ein Drittel vom Haushalt wurde ausgegeben.", ("Ein Drittel", "5.000 / 15.000", "ein:5.000",
     "ein:15.000"),
     "Ein Drittel (5.000 ÷ 15.000) vom Haushalt wurde ausgegeben [1].", "0.3333333333333333333333333333"),
    ("The crew has 12 people, and both cost 12 euros.", ("12", "5 + 7", "crew:5 euros", "crew:7 euros"),
     "The crew has 12 people, and both cost 12 euros (5 euros + 7 euros) [1].", "12"),
    ("The interest is 360 euros a year.", ("360 euros", "3,000 * 12 / 100", "loan:3,000", "loan:12"),
     "The interest is 360 euros a year (3,000 × 12 ÷ 100) [1].", "360"),
    ("The VAT is 237.60 euros.", ("237.60 euros", "1,250.50 * 19 / 100", "vat:1,250.50", "vat:19%"),
     "The VAT is 237.60 euros (1,250.50 × 19 ÷ 100) [1].", "237.595"),
    ("The gross price is 1,488.10 euros.", ("1,488.10 euros", "1,250.50 * (100 + 19) / 100", "vat:1,250.50",
     "vat:19"),
     "The gross price is 1,488.10 euros (1,250.50 × (100 + 19) ÷ 100) [1].", "1488.095"),
    ("The gross price is 1,488.10 euros.", ("1,488.10 euros", "1,250.50 * (1 + 19%)", "vat:1,250.50",
     "vat:19%"),
     "The gross price is 1,488.10 euros (1,250.50 × (1 + 19%)) [1].", "1488.095"),
    ("The gross price is 1,488.10 euros.", ("1,488.10 euros", "1,250.50 + 19%", "vat:1,250.50", "vat:19%"),
     "The gross price is 1,488.10 euros (1,250.50 + 19%) [1].", "1488.095"),
    ("The net price would be 1,050.84 euros.", ("1,050.84 euros", "1,250.50 * 100 / (100 + 19)",
     "vat:1,250.50", "vat:19"),
     "The net price would be 1,050.84 euros (1,250.50 × 100 ÷ (100 + 19)) [1].",
     "1050.840336134453781512605042"),
    ("The wage rose by 5%.", ("5%", "(10,500 - 10,000) / 10,000 * 100%", "wage:10,500 euros",
     "wage:10,000"),
     "The wage rose by 5% ((10,500 euros − 10,000) ÷ 10,000 × 100%) [1].", "0.05"),
    ("A member pays 40 euros.", ("40 euros", "50 - 50 * 20 / 100", "lamp:50", "lamp:20"),
     "A member pays 40 euros (50 − 50 × 20 ÷ 100) [1].", "40"),
    ("A member pays 40 euros.", ("40 euros", "50 - 20%", "lamp:50", "lamp:20%"),
     "A member pays 40 euros (50 − 20%) [1].", "40"),
    ("A member pays 40 euros.", ("40 euros", "50 * (100% - 20%)", "lamp:50", "lamp:20%"),
     "A member pays 40 euros (50 × (100% − 20%)) [1].", "40"),
    ("2 million euros were left.", ("2 million euros", "3 million - 1 million", "turnover:3 million euros",
     "turnover:1 million euros"),
     "2 million euros (3 million euros − 1 million euros) were left [1].", "2000000"),
    ("利益は2億円です。", ("2億円", "3億 - 1億", "uriage:3億円", "uriage:1億円"),
     "利益は2億円（3億円 − 1億円）です [1]。", "200000000"),
    ("The temperature rose by 17 °C.", ("17 °C", "12 - (-5)", "cold:12 °C", "cold:-5 °C"),
     "The temperature rose by 17 °C (12 °C − (−5 °C)) [1].", "17"),
    ("The fees come to 2 500 €.", ("2 500 €", "1 200 + 1 300", "fees:1 200 €", "fees:1 300 €"),
     "The fees come to 2 500 € (1 200 € + 1 300 €) [1].", "2500"),
    ("Lee paid 10 euros.", ("10 euros", "2 * 5", "apples:2 euros", "apples:5 kg"),
     "Lee paid 10 euros (2 euros × 5 kg) [1].", "10"),
    ("The room has 20 m².", ("20 m²", "4 m * 5 m", "room:4 m", "room:5 m"),
     "The room has 20 m² (4 m × 5 m) [1].", "20"),
    ("The train covered 60 km/h.", ("60 km/h", "120 km / 2 hours", "train:120 km", "train:2 hours"),
     "The train covered 60 km/h (120 km ÷ 2 hours) [1].", "60"),
    ("The train covered 60 km/h.", ("60", "120 km / 2 hours", "train:120 km", "train:2 hours"),
     "The train covered 60 km/h (120 km ÷ 2 hours) [1].", "60"),
    ("The train covered 60 km an hour.", ("60 km", "120 km / 2 hours", "train:120 km", "train:2 hours"),
     "The train covered 60 km an hour (120 km ÷ 2 hours) [1].", "60"),
    ("The stove used 6 kWh.", ("6 kWh", "2 kW * 3 hours", "stove:2 kW", "stove:3 hours"),
     "The stove used 6 kWh (2 kW × 3 hours) [1].", "6"),
    ("Interest is 7 percentage points below VAT.", ("7", "19% - 12%", "vat:19%", "loan:12%"),
     "Interest is 7 percentage points (19% − 12%) below VAT [1][2].", "7"),
    ("The lease lasted 2 years and 1 month.", ("2 years and 1 month", "years(3 May 2019; 12 June 2021)",
     "end:12 June 2021", "begin:3 May 2019"),
     "The lease lasted 2 years and 1 month (3 May 2019 – 12 June 2021) [1][2].", "25"),
    ("Sales fell by 28% from June to August.", ("28%", "(900 - 1,250) / 1,250 * 100", "august:900",
     "june:1,250"),
     "Sales fell by 28% ((900 − 1,250) ÷ 1,250 × 100) from June to August [1][2].", "-28"),
    ("Die Miete je Quartal beträgt 3.600 Euro.", ("3.600 Euro", "14.400 / 4", "miete:14.400"),
     "Die Miete je Quartal beträgt 3.600 Euro (14.400 ÷ 4) [1].", "3600"),
    ("每季度的租金是3,600元。", ("3,600元", "14,400 / 4", "zujin:14,400"),
     "每季度的租金是3,600元（14,400 ÷ 4） [1]。", "3600"),
    ("Le loyer trimestriel est de 3 600 euros.", ("3 600 euros", "14 400 / 4", "loyer:14 400"),
     "Le loyer trimestriel est de 3 600 euros (14 400 ÷ 4) [1].", "3600"),
    ("Квартальная аренда составляет 3600 рублей.", ("3600 рублей", "14 400 / 4", "arenda:14 400"),
     "Квартальная аренда составляет 3600 рублей (14 400 ÷ 4) [1].", "3600"),
    ("四半期の賃料は360万円です。", ("360万円", "1,440万 / 4", "yachin:1,440万"),
     "四半期の賃料は360万円（1,440万 ÷ 4）です [1]。", "3600000"),
    ("她享年36岁。", ("36岁", "years(1815年12月10日; 1852年11月27日)",
     "bailing:1815年12月10日", "bailing:1852年11月27日"),
     "她享年36岁（1815年12月10日 – 1852年11月27日） [1]。", "36"),
])  # fmt: skip
def test_a_right_calculation_is_shown_with_its_value_and_cited(sentence, calculation, text, result):
    question = "What is two years' rent?" if "Two years" in sentence else "What does it come to?"
    answer, model = written(sentence, *calculation, question=question)
    assert (answer.text, answer.details.get("dropped_sentences")) == (text, None)
    (told,) = answer.calculations
    assert isinstance(told, Calculation)
    assert (told.sentence, told.value, told.result) == (1, calculation[0], result)
    quotes = {citation["n"]: citation.get("quote", citation["fact"]) for citation in answer.citations}
    assert [operand.number for operand in told.operands] == [
        name.partition(":")[2] for name in calculation[2:]
    ]
    assert all(operand.number in quotes[operand.n] for operand in told.operands)
    assert len(model.asked) == 1


@pytest.mark.parametrize(("sentence", "calculation", "why"), [
    ("One quarter's rent is 3,500 euros.", ("3,500 euros", "14,400 / 4", "rent:14,400"),
     "14,400 ÷ 4 is 3,600, not 3,500 euros"),
    ("A fifth of the rent is 2,880 euros.", ("2,880 euros", "14,400 / 5", "rent:14,400"),
     "5 is not in the cited text"),
    ("One quarter's rent is 3,900 euros.", ("3,900 euros", "15,600 / 4", "rent:15,600"),
     "15,600 is not in the cited text"),
    ("The rent is 14,407 euros.", ("14,407 euros", "14,400 + 7 days", "rent:14,400"),
     "7 is not in the cited text"),
    ("On some days the rent is 14,407 euros.", ("14,407 euros", "sum(14,400; 7 days)", "rent:14,400"),
     "7 is not in the cited text"),
    ("The rent is 14,765 euros.", ("14,765 euros", "14,400 + 365 days", "rent:14,400"),
     "365 is not in the cited text"),
    ("The club has 105 boards.", ("105", "5 + 100", "boards:5"), "100 is not in the cited text"),
    ("The club has 500 members.", ("500 members", "5 * 100", "boards:5"),
     "its calculation uses 100 where there is no percentage"),
    ("One quarter's rent is 60 euros.", ("60 euros", "14,400 / 60 / 4 quarters minutes", "rent:14,400"),
     "60 is not in the cited text"),
    ("The interest of a month is 360 euros.", ("360 euros", "3,000 * 12%", "loan:3,000"),
     "12 is not in the cited text"),
    ("Kim paid about one third to Sommer.", ("one third", "5,000 / 15,000", "kim:5,000", "kim:15,000"),
     "not in the cited text: Sommer"),
    ("The crew has 12 people, 12 of whom are judges, and costs 12 euros.", ("12", "5 + 7", "boat:5 euros",
     "boat:7 euros"), "not in the cited text: 12"),
    ("The boat had 18 people and costs 18 euros.", ("18", "5 + 13", "crew:5 euros", "crew:13 euros"),
     "13 euros is not in the cited text"),
    ("The shop has 12 rooms, and both cost 12 euros.", ("12", "5 + 7", "lamp:5", "lamp:7"),
     "5 is not in the cited text"),
    ("There were 16 people, and 16 were returned on average.", ("16", "average(25, 14, 9)", "june:25",
     "july:14", "august:9"), "not in the cited text: 16"),
    ("With VAT it is 1,350.50 euros.", ("1,350.50 euros", "1,250.50 + 100", "vat:1,250.50", "vat:19%"),
     "100 is not in the cited text"),
    ("With VAT it is 1,251.50 euros.", ("1,251.50 euros", "1,250.50 + 1", "vat:1,250.50", "vat:19%"),
     "1 is not in the cited text"),
    ("With VAT it is 2,501 euros.", ("2,501 euros", "1,250.50 + 100%", "vat:1,250.50"),
     "100% is not in the cited text"),
    ("A part is 720 euros.", ("720 euros", "14,400 * 5%", "rent:14,400", "boards:5"),
     "its calculation uses a number as a percentage that is none where it is cited"),
    ("The interest is 3.6 euros.", ("3.6 euros", "3,000 * 12 / 100", "loan:3,000", "loan:12"),
     "3,000 × 12 ÷ 100 is 360, not 3.6 euros"),
    ("The speed was 60 km.", ("60 km", "120 km / 2 hours", "train:120 km", "train:2 hours"),
     "120 km ÷ 2 hours is 60 kilometre per hour, not 60 km"),
    ("The room is 20 m.", ("20 m", "4 m * 5 m", "room:4 m", "room:5 m"),
     "4 m × 5 m is 20 square metre, not 20 m"),
    ("The club has 2,005 boards.", ("2,005", "+".join(["5"] * 401), "boards:5"),
     f"its calculation “{('5+' * 60)[:119]}…” is too long"),
    ("Three firms made an offer.", ("Three", "count(Weber; Kranz; and)", "weber:Weber", "kranz:Kranz",
     "kranz:and"), "its calculation counts the word “and”"),
    ("Three firms made an offer.", ("Three", "count(Weber; Kranz; firm)", "weber:Weber", "kranz:Kranz",
     "kranz:firm"), "its calculation counts the word “firm”"),
    ("Sales rose by 28% from June to August.", ("28%", "(1,250 - 900) / 1,250 * 100", "august:900",
     "june:1,250"), "(1,250 − 900) ÷ 1,250 × 100 is a fall, which it does not say"),
    ("Sales rose by 28% from June to August.", ("28%", "(900 - 1,250) / 1,250", "august:900",
     "june:1,250"), "(900 − 1,250) ÷ 1,250 is a fall, which it does not say"),
    ("Sales rose by 28% from June to August.", ("28%", "(1 - 900 / 1,250) * 100", "august:900",
     "june:1,250"), "(1 − 900 ÷ 1,250) × 100 is a fall, which it does not say"),
    ("Sales rose by 28% from June to August.", ("28%", "-(900 - 1,250) / 1,250", "august:900",
     "june:1,250"), "(−(900 − 1,250)) ÷ 1,250 is a fall, which it does not say"),
    ("Sales fell by 40% from June to July.", ("40%", "(1,750 - 1,250) / 1,250", "july:1,750", "june:1,250"),
     "(1,750 − 1,250) ÷ 1,250 is a rise, which it does not say"),
    ("A part of the rent is 4,400 euros.", ("4,400 euros", "4,400", "rent:4,400"),
     "4,400 is not in the cited text"),
    ("The rent is 1,200 euros.", ("1,200 euros", "14,400 / 12", "rent:14,400"),
     "12 is not in the cited text"),
    ("The fee and the deposit come to 3,300 euros.", ("3,300 euros", "3,000 + 300", "deposit:3,000",
     "area:300"),
     "its calculation combines different units: EUR and USD cannot be added"),
    ("The notice period is 18 years.", ("18 years", "18 * 1", "notice:18"), "1 is not in the cited text"),
    ("The notice period is 18 years.", ("18 years", "sum(18)", "notice:18"), "18 is 18 months, not 18 years"),
    ("The months sold 1,950 on average.", ("1,950", "(1,250 + 1,750 + 900) / 2",
     "june:1,250", "july:1,750", "august:900"), "2 is not in the cited text"),
    ("Sales came to 1,251.", ("1,251", "1,250 + 1", "june:1,250"), "1 is not in the cited text"),
    ("The rent and the deposit are $17,400.", ("17,400", "14,400 + 3,000", "rent:14,400", "deposit:3,000"),
     "14,400 + 3,000 is 17,400 EUR, not 17,400"),
    ("The Ferry and The Pier cost 100 million.", ("100 million", "63000000 + 21000000",
     "row1:63000000", "row2:21000000"), "63000000 + 21000000 is 84,000,000, not 100 million"),
    ("The rent is 100 euros.", ("100 euros", "100", "rent:14,400"),
     "its calculation uses nothing that it cites"),
    ("四半期の賃料は380万円です。", ("380万円", "1,440万 / 4", "yachin:1,440万"),
     "1,440万 ÷ 4 is 3,600,000, not 380万円"),
    ("The fee is 17,400 dollars.", ("17,400 dollars", "14,400 + 3,000", "rent:14,400", "deposit:3,000"),
     "14,400 + 3,000 is 17,400 EUR, not 17,400 dollars"),
    ("The bridge was 5% over its budget.", ("5%", "(88,650 - 85,000) / 85,000", *BOTH),
     "(88,650 − 85,000) ÷ 85,000 is 0.0429, not 5%"),
    ("The budget was 3,650 euros more than the bridge cost.", ("3,650 euros", "85,000 - 88,650", *BOTH),
     "85,000 − 88,650 is -3,650, not 3,650 euros"),
    ("Four firms made an offer.", ("Four", "count(Weber; Kranz; Holm)", "weber:Weber", "kranz:Kranz",
     "kranz:Holm"),
     "Weber, Kranz, Holm is 3, not Four"),
    ("Two firms made an offer.", ("Two", "count(Weber; Weber)", "weber:Weber", "weber:Weber"),
     "Weber, Weber is 1, not Two"),
    ("Four firms made an offer.", ("Four", "count", "weber:Weber", "kranz:Kranz", "kranz:Holm",
     "kranz:Sommer"),
     "Sommer is not in the cited text"),
    ("Weber made the cheapest offer.", ("Weber", "min(41,200; 38,900)", "weber:41,200", "kranz:38,900"),
     "min(41,200; 38,900) is 38,900, not Weber"),
    ("Ida Brandt died at the age of 37.", ("37", "years(10 December 1815; 27 November 1852)",
     "born:10 December 1815", "died:27 November 1852"),
     "10 December 1815 – 27 November 1852 is 36 years, not 37"),
    ("The mill stood for 9 months.", ("9 months", "months(1790; 27 November 1852)", "built:1790",
     "died:27 November 1852"),
     "its calculation of months needs a more exact date"),
    ("A complaint cost 88,650 euros.", ("88,650 euros", "88,650 / 0", "cost:88,650", "none:0"),
     "its calculation divides by zero"),
    ("The bridge cost 3,650 euros more.", ("3,560 euros", "88,650 - 85,000", *BOTH),
     "it does not say 3,560 euros, the value of its calculation"),
    ("The bridge cost 9 euros.", ("9", "__import__('os').getpid() + 9", "cost:88,650"),
     "its calculation “__import__('os').getpid() + 9” cannot be read"),
    ("The bridge cost 9 euros.", ("9", "88,650 ** 88,650", "cost:88,650"),
     "its calculation “88,650 ** 88,650” cannot be read"),
    ("The bridge cost 9 euros.", ("9", "(" * 500, "cost:88,650"),
     f"its calculation “{'(' * 119}…” is too long"),
    ("The bridge cost 9 euros.", ("9", "(" * 150, "cost:88,650"),
     f"its calculation “{'(' * 119}…” cannot be read"),
    ("The bridge cost 9 euros.", ("9", "88,650 88,650", "cost:88,650"),
     "its calculation “88,650 88,650” cannot be read"),
    ("The bridge cost 9 euros.", ("9", "(88,650", "cost:88,650"), "its calculation “(88,650” cannot be read"),
    ("The bridge cost 9 euros.", ("9", "Weber + 88,650", "weber:Weber", "cost:88,650"),
     "its calculation uses words as a number"),
    ("It lasted 9 days.", ("9", "average(3 May 2019; 12 June 2021)", "begin:3 May 2019", "end:12 June 2021"),
     "its calculation uses a date as a number"),
    ("It lasted 9 days.", ("9", "3 May 2019 * 18", "begin:3 May 2019", "notice:18"),
     "its calculation uses a date as a number"),
    ("It lasted 9 years.", ("9", "years(3 May 2019)", "begin:3 May 2019"),
     "its calculation of years needs two dates"),
    ("It lasted 9 years.", ("9", "years(3 May 2019; 14,400)", "begin:3 May 2019", "rent:14,400"),
     "its calculation of years uses a number as a date"),
    ("It comes to 9 euros.", ("9", "14,400 * 3,000", "rent:14,400", "deposit:3,000"),
     "its calculation multiplies EUR by EUR"),
    ("It comes to 9.", ("9", "120 km / 3,000", "train:120 km", "deposit:3,000"),
     "its calculation divides kilometre by EUR"),
    ("It comes to 9.", ("9", " * ".join(["63000000"] * 5), "row1:63000000"),
     "its calculation has numbers too large or too small to compute"),
    ("The bridge cost 9 euros.", ("9", "88,650", "nowhere:88,650"),
     "its calculation cites evidence that does not exist"),
    ("The bridge cost 9 euros.", ("9", "4 + 5"), "its calculation cites nothing"),
    ("The bridge and Sommer cost 3,650 euros more.", ("3,650 euros", "88,650 - 85,000", *BOTH),
     "not in the cited text: Sommer"),
    ("In 1990 the bridge cost 3,650 euros more.", ("3,650 euros", "88,650 - 85,000", *BOTH),
     "not in the cited text: 1990"),
    ("The Ferry cost 62998001 more.", ("62998001", "63000000 - 1999", "row1:63000000", "row1:1999"),
     "1999 is not in the cited text"),
])  # fmt: skip
def test_a_wrong_or_unfounded_calculation_drops_its_sentence_with_why(sentence, calculation, why):
    citations = ("cost",) if len(calculation) == 2 or "nowhere" in calculation[2] else ()
    answer, model = written(sentence, *calculation, citations=citations)
    assert (answer.state, answer.text, answer.calculations) == ("abstained", "", ())
    told = [{"sentence": sentence, "why": why}]
    assert answer.details["dropped_sentences"] == told
    assert [name for name, _tier, _material in model.asked] == ["synthesize", "rewrite"]
    assert model.asked[1][2]["deleted"] == told
