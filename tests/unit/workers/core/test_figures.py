"""Numbers, dates and units as values in many languages: what a cited text carries and what it does not."""

from decimal import Decimal

import pytest

from workers.core.answers.check_numbers import missing_numbers
from workers.core.language.figures.figures import figures
from workers.core.language.numerals import numbers

# language, what is cited, what it carries, what it does not
CASES = [
    ("en", "It sold 12,500 pears for half a million dollars.", ["12 500", "$500,000"], ["1,250", "12.5"]),
    ("en", "On Sept. 3, 2019 it closed.", ["3 September 2019", "2019-09-03"], ["3 October 2019", "4/9/2019"]),
    (
        "de",
        "Am 11. März 2020 gab er 7.500 Euro für achtundvierzig Höfe.",
        ["11.3.2020", "7500 €", "48 Höfe"],
        ["11. Mai 2020", "7,5 Euro", "84 Höfe", "7500 Dollar"],
    ),
    (
        "de",
        "Es waren dreihundertfünfzig Leute und 2,6 Millionen Liter.",
        ["350 Leute", "2.600.000 Liter"],
        ["530 Leute", "6,2 Mio. Liter"],
    ),
    (
        "fr",
        "En février, quatre-vingts enfants ont payé 3 640 euros.",
        ["en février", "80", "3640 €"],
        ["en mars", "24 enfants", "3 460 €"],
    ),
    (
        "fr",
        "C'est une église du XVIIIe siècle, avec deux mille cinq cents livres.",
        ["18e siècle", "2500"],
        ["XIXe siècle", "2050"],
    ),
    (
        "es",
        "Costó 0,3 millones de euros el 22 de enero de 2020; dos mil quinientos libros.",
        ["300 000 euros", "22/01/2020", "2500 libros"],
        ["30 000 euros", "22 de junio de 2020", "2050 libros"],
    ),
    (
        "it",
        "Nel maggio 2018 hanno pagato ventitré euro, il 9 per cento in più.",
        ["05/2018, 23 euro", "nove per cento"],
        ["giugno 2018", "32 euro", "19%"],
    ),
    (
        "pt",
        "A obra custou 1,8 milhão de reais em 17 de junho de 2021.",
        ["R$ 1.800.000", "17/06/2021"],
        ["R$ 1.080.000", "17 de julho de 2021"],
    ),
    (
        "nl",
        "Achtduizend vierhonderdvijftig mensen kwamen op 12 maart 2020.",
        ["8.450 mensen", "12-03-2020"],
        ["8.540 mensen", "12 mei 2020"],
    ),
    (
        "ru",
        "Пятого мая 2022 года двадцать пять гостей заплатили 4,7 тыс. рублей.",
        ["25 гостей", "4700 рублей"],
        ["52 гостя", "7400 рублей", "4700 долларов"],
    ),
    (
        "uk",
        "З 5 липня 2022 року працює сорок вісім людей, 1,2 млн гривень.",
        ["05.07.2022", "48 людей", "1 200 000 грн"],
        ["5 червня 2022", "84 людей", "2,1 млн гривень"],
    ),
    (
        "pl",
        "Dnia 7 marca 2020 roku remont kosztował 1,4 mln zł.",
        ["07.03.2020", "1 400 000 złotych"],
        ["7 maja 2020", "1 400 000 euro"],
    ),
    (
        "cs",
        "Dne 3. května 2019 přišlo čtyřicet osm lidí.",
        ["3. 5. 2019", "48 lidí"],
        ["3. června 2019", "84 lidí"],
    ),
    (
        "tr",
        "Okul 4 Mart 2020'de açıldı; yüzde 6 arttı ve 1,9 milyon lira tuttu.",
        ["04.03.2020", "%6", "1.900.000 lira"],
        ["4 Mayıs 2020", "%16", "1.090.000 lira"],
    ),
    (
        "ar",
        "يعمل ثمانية عشر عاملا منذ 10 أيلول 2022 وأنتجوا ٧٫٢ طن.",
        ["18 عاملا", "10 سبتمبر 2022", "7.2 طن"],
        ["81 عاملا", "10 أكتوبر 2022", "2.7 طن", "7.2 كيلومتر"],
    ),
    (
        "he",
        "הוא נפתח ב-5 במרץ 2020 ועלה 1.4 מיליון שקלים, ויש בו עשרים וחמש חדרים.",
        ["ב-5.3.2020", "1,400,000 ₪", "25"],
        ["5 במאי 2020", "1,040,000", "ב-24"],
    ),
    (
        "hi",
        "दुकान 3 मई 2019 को खुली; 12,34,567 रुपये और पच्चीस लोग।",
        ["3/5/2019", "1234567", "25 लोग"],
        ["3 जून 2019", "1243567", "52 लोग"],
    ),
    (
        "th",
        "ร้านเปิดเมื่อ 3 พฤษภาคม พ.ศ. 2562 มีคน สิบแปดคน และ 1.5 ล้านบาท",
        ["3 พฤษภาคม 2019", "18 คน", "1500000 บาท"],
        ["3 มิถุนายน 2019", "81 คน", "1050000 บาท"],
    ),
    (
        "vi",
        "Ngày 3 tháng 5 năm 2019, hai mươi lăm người đã trả 2 triệu đồng.",
        ["3/5/2019", "25 người", "2.000.000 đồng"],
        ["ngày 3 tháng 6 năm 2019", "52 người", "20.000.000 đồng"],
    ),
    (
        "id",
        "Pada 3 Agustus 2019 harganya Rp5,75 juta dan dua puluh lima orang datang.",
        ["3-8-2019", "Rp5.750.000", "25 orang"],
        ["3 Juli 2019", "Rp5.570.000", "52 orang"],
    ),
    (
        "sv",
        "Den 2 mars 2020 lånades elvatusen sexhundra böcker.",
        ["2020-03-02", "11 600 böcker"],
        ["2 maj 2020", "16 100"],
    ),
    (
        "fi",
        "Sali avattiin 3. toukokuuta 2020, ja kirjoja on 12 700.",
        ["3.5.2020", "12700"],
        ["3. kesäkuuta 2020", "17 200"],
    ),
    (
        "hu",
        "A termet 2020. március 6-án nyitották meg, 2,4 millió forintért.",
        ["2020.03.06.", "2 400 000 forint"],
        ["2020. május 6.", "2 040 000"],
    ),
    (
        "el",
        "Άνοιξε στις 4 Μαρτίου 2020 και κόστισε 1,7 εκατομμύρια ευρώ.",
        ["4/3/2020", "1.700.000 €"],
        ["4 Μαΐου 2020", "1.070.000 €"],
    ),
    (
        "zh",
        "卫生院7月16日接诊九万六千人次，造价1.08亿元，报销75%，面积6,800平方米。",
        ["9.6万人次", "7月16日", "10800万元", "百分之七十五", "6800平方米"],
        ["6.9万人次", "7月26日", "1.8亿元", "百分之五十七", "800平方米", "1.08亿美元", "6800公顷"],
    ),
    (
        "zh-Hant",
        "民國110年5月，三百萬人支付了12.3億元。",
        ["2021年5月", "300萬人", "12億3000萬元"],
        ["2020年", "3億元", "三十萬人"],
    ),
    (
        "ja",
        "平成3年に開き、4万8000リットル、二百六十トンを出荷した。三割が8,400万円だ。",
        ["1991年", "48,000リットル", "260トン", "30%", "8400万円"],
        ["1993年", "84,000リットル", "620トン", "50%", "4,800万円"],
    ),
    (
        "ko",
        "1972년 3월 2일에 예순네 명이 왔고 12억 5천만 원이 들었다.",
        ["1972.3.2", "64명", "12.5억 원"],
        ["3월 22일", "46명", "15억 2천만 원"],
    ),
    (
        "it",
        "I lavori cominceranno il 15 settembre 2024; un terzo della spesa è coperto.",
        ["a metà settembre 2024", "Si segnò 33% a settembre."],
        ["la metà della spesa", "a metà ottobre 2024"],
    ),
    ("hu", "A diákok a tagdíj felét fizetik.", ["a tagdíj 50 százalékát"], ["a tagdíj 60 százalékát"]),
    (
        "ro",
        "Au venit 21.300 de spectatori și 20 de mii de elevi pentru 15.000 de lei.",
        ["douăzeci și una de mii trei sute de spectatori", "20.000 de elevi", "15.000 lei"],
        ["douăzeci și două de mii trei sute de spectatori", "15.000 de euro"],
    ),
    (
        "ru",
        "Треть из 85 миллионов рублей выделил округ, четверть — город.",
        ["третью часть из восьмидесяти пяти миллионов", "четвёртую часть денег"],
        ["пятую часть денег"],
    ),
    ("ko", "찬성은 열한 표였다.", ["찬성 11표를 얻었다."], ["찬성 12표를 얻었다."]),
    (
        "ar",
        "يضم النادي ثلاثمئة وعشرين عضوًا براتب 8,500 درهم.",
        ["٣٢٠ عضوًا", "8500 درهم"],
        ["٣٣٠ عضوًا", "8500 دينار"],
    ),
    ("tr", "6 of the 48 patients stopped.", ["48 hastanın altısı"], ["48 hastanın dokuzu"]),
    ("pt", "Dario Benvenuti segnò due gol.", ["Dario Benvenuti marcou 2 gols."], ["Marcou 3 gols."]),
    ("no", "De vant med 8,4 sekunder.", ["8,4 sek. foran"], ["8,5 sek. foran", "8,4 minutter"]),
    ("vi", "Ông sẽ nghỉ vào tháng mười hai.", ["vào tháng 12"], ["vào tháng 11", "vào tháng mười"]),
    ("vi", "Ông sẽ nghỉ vào tháng 5.", ["vào tháng năm"], ["vào tháng tư"]),
    ("ar", "تبلغ التكلفة مليونين ونصف مليون دينار.", ["2.5 مليون دينار"], ["2.4 مليون دينار"]),
    ("ko", "보증금은 1천2백만 원이다.", ["1,200만 원"], ["1,300만 원"]),
    ("el", "παρήγαγε 850 τόνους λάδι", ["οκτακόσιους πενήντα τόνους"], ["οκτακόσιους σαράντα τόνους"]),
    ("hu", "5400 tonna búzát adott el", ["ötezer-négyszáz tonna"], ["ötezer-háromszáz tonna"]),
    ("cs", "stála 27,5 milionu Kč", ["27,5 mil. korun"], ["26,5 mil. korun"]),
    ("cs", "Oprava za 1 980 000 korun.", ["1,98 milionu korun"], ["1,98 milionu eur"]),
]


@pytest.mark.parametrize(("stands", "carried", "foreign"), [case[1:] for case in CASES])
def test_numbers_dates_and_units_are_compared_as_values(stands, carried, foreign):
    for said in carried:
        assert missing_numbers(said, stands) == [], said
    for said in foreign:
        assert missing_numbers(said, stands), said


def test_words_of_a_number_go_on_with_hundreds():
    for thousand_two_hundred in [
        "Mille deux cents personnes sont venues.",
        "Vendeu mil e duzentas entradas.",
        "Furono venduti milleduecento biglietti.",
        "Zwölfhundert Leute kamen.",
        "Bin iki yüz kişi geldi.",
        "Một nghìn hai trăm người đã đến.",
        "มีคนมาหนึ่งพันสองร้อยคน",
        "एक हज़ार दो सौ लोग आए।",
        "אלף ומאתיים איש הגיעו.",
        "حضر ألف ومئتا شخص.",
        "천이백 명이 왔다.",
        "來了一千二百人。",
        "Ezerkétszáz ember jött.",
        "Ήρθαν χίλιοι διακόσιοι άνθρωποι.",
        "Tuhat kaksisataa ihmistä tuli.",
        "Ettusentvåhundra personer kom.",
        "Przyszło tysiąc dwieście osób.",
        "Пришло тысяча двести человек.",
    ]:
        assert missing_numbers("1200.", thousand_two_hundred) == [], thousand_two_hundred
        assert missing_numbers(thousand_two_hundred, "1.200") == [], thousand_two_hundred
        assert missing_numbers(thousand_two_hundred, "1.000, 200"), thousand_two_hundred


def test_shares_in_words_and_months_alone_are_compared():
    for carried, foreign, stands in [
        (
            "Fifty per cent of them came in July.",
            "A third of them came.",
            "Half of its visitors came in July.",
        ),
        ("75 % sont venus.", "Un quart des visiteurs est venu.", "Trois quarts des visiteurs sont venus."),
        (
            "Половина приехала в июле.",
            "Треть посетителей приехала.",
            "50% посетителей приехали в июле; половина.",
        ),
        ("来場者の50%だ。", "来場者の三分の一だ。", "来場者の半分である。"),
        ("Przyjechali w lipcu.", "Przyjechali w czerwcu.", "Połowa gości przyjeżdża w lipcu."),
        ("यात्री जुलाई में आते हैं।", "यात्री जून में आते हैं।", "आधे यात्री जुलाई में आते हैं।"),
        ("جاؤوا في تموز.", "جاؤوا في آب.", "يأتي نصف الزوار في تموز."),
        ("Aprì il 1/6/1898.", "Aprì il 1º luglio 1898.", "Aprì il 1º giugno 1898, e a luglio chiuse."),
        ("عمل فيه خمسة وعشرون عاملا.", "عمل فيه خمسون عاملا.", "عمل فيه مع خمسة وعشرين عاملا."),
    ]:
        assert missing_numbers(carried, stands) == [], carried
        assert missing_numbers(foreign, stands), foreign


def test_values_cross_languages():
    for sentence, stands in [
        ("In 1924 it opened with three rooms.", "1924年に三室で開いた。"),
        ("The works make 4.5 million pieces.", "年产瓷器四百五十万件。"),
        (
            "The shop has 32,000 books since 3 May 2019.",
            "2019년 5월 3일 문을 연 서점에 책 3만 2천 권이 있다.",
        ),
        ("1920年代に始まった。", "1924年に始まった。"),
        ("In den 1990er Jahren begann es.", "Im Jahr 1994 begann es."),
        ("Er kam um 14:30 Uhr.", "Er kam um 14.30 Uhr."),
        ("Die Ziegelei brannte 5,6 Millionen Ziegel.", "It fired 5.6 million bricks."),
        ("عالجت العيادة ٩٣٠٠ مريض في عام ٢٠٢٢.", "It treated 9,300 patients in 2022."),
    ]:
        assert missing_numbers(sentence, stands) == [], sentence


def test_a_part_of_a_number_and_numbers_that_stand_apart_are_no_number():
    for sentence, stands in [
        ("它卖了800元。", "它卖了6,800元。"),
        ("有3人。", "有12.3億人。"),
        ("Sie zahlte 1,25 Euro.", "Sie zahlte 1.250 Euro."),
        ("Sie wog 1.250 kg.", "Sie wog 1,25 kg."),
        ("1920年代に始まった。", "1934年に始まった。"),
        ("Il y a 3 500 livres.", "Il y a 3 salles et 500 livres."),
        ("It was 5 km long.", "It was 5 m long."),
        ("违约金为合同金额的50%。", "违约金为合同金额的5%。"),
        ("It opened on 3 May 2019.", "It opened on 3 May 2018 and closed in June 2019."),
    ]:
        assert missing_numbers(sentence, stands), sentence


def test_digits_in_a_name_are_no_number_and_a_currency_before_them_is_no_name():
    assert figures("B-52, H2O and COVID-19") == []
    assert [(figure.readings, figure.unit) for figure in figures("Rp5,75 EUR5")] == [
        ((Decimal("5.75"),), "IDR"),
        ((Decimal(5),), "EUR"),
    ]


def test_a_separator_that_may_be_read_in_two_ways_gives_two_readings():
    assert [figure.readings for figure in figures("14.400")] == [(Decimal(14400), Decimal("14.400"))]
    assert [figure.day for figure in figures("It was on 3 May 2019.")] == [(2019, 5, 3)]


def test_numbers_of_other_scripts_are_whole_and_found_behind_a_letter():
    assert numbers("违约金为合同金额的50%，即6,800元") == {"50": "50", "6800": "6,800"}
    assert set(numbers("двадцать пять")) == {"25"}


def test_units_and_ordinals_are_read_however_their_letters_are_encoded_or_spaced():
    for text, unit in (("12 zloți", "PLN"), ("12 zloţi", "PLN"), ("5 kilometri pătrați", "square kilometre")):
        assert [(figure.readings, figure.unit) for figure in figures(text)] == [
            ((Decimal(text.split()[0]),), unit)
        ]
    assert [figure.readings for figure in figures("الحادي والعشرون", ["ar"])] == [(Decimal(21),)]


def test_a_share_in_words_is_told_by_the_same_share_or_percentage():
    for carried, foreign, stands in [
        ("33 percent came.", "34 percent came.", "A third of them came."),
        ("A third of them came.", "A quarter of them came.", "Some 33% of them came."),
        ("Ein Drittel kam.", "Ein Viertel kam.", "33 % der Gäste kamen."),
        ("Deux cinquièmes sont venus.", "Trois cinquièmes sont venus.", "40 % sont venus."),
        ("Vino la quinta parte.", "Vino la cuarta parte.", "Vino el 20 % de los socios."),
        ("Sono venuti i tre quarti dei soci.", "Sono venuti due terzi dei soci.", "È venuto il 75%."),
        ("Um terço veio.", "Um quarto veio.", "Vieram 33% dos sócios."),
        ("Een kwart van hen kwam.", "Een derde van hen kwam.", "Van hen kwam 25 procent."),
        ("En fjärdedel kom.", "En femtedel kom.", "25 procent av dem kom."),
        ("Kun en tredjedel kom.", "Kun en fjerdedel kom.", "33 prosent av dem kom."),
        ("Przyszła jedna czwarta gości.", "Przyszła połowa gości.", "Przyszło 25 procent gości."),
        ("Přišla třetina hostů.", "Přišla čtvrtina hostů.", "Přišlo 33 procent hostů."),
        ("Пришла четверть гостей.", "Пришла треть гостей.", "Пришло 25 процентов гостей."),
        ("Прийшла третина гостей.", "Прийшла чверть гостей.", "Прийшло 33% гостей."),
        ("Üyelerin üçte biri geldi.", "Üyelerin dörtte biri geldi.", "Üyelerin yüzde 33'ü geldi."),
        ("جاء ثلثا الأعضاء.", "جاء ربع الأعضاء.", "جاء 67% من الأعضاء."),
        ("הגיעו כשליש מהחברים.", "הגיעו רבע מהחברים.", "הגיעו 33% מהחברים."),
        ("तीन चौथाई लोग आए।", "दो तिहाई लोग आए।", "75 प्रतिशत लोग आए।"),
        ("Sepertiga anggota datang.", "Seperlima anggota datang.", "33 persen anggota datang."),
        ("Một phần ba đã đến.", "Một phần tư đã đến.", "33% đã đến."),
        ("มาหนึ่งในสามของสมาชิก", "มาหนึ่งในสี่ของสมาชิก", "สมาชิกมา 33%"),
        ("회원의 4분의 1이 왔다.", "회원의 3분의 1이 왔다.", "회원의 25%가 왔다."),
        ("会員の五分の二が来た。", "会員の五分の三が来た。", "会員の4割が来た。"),
        ("五分之一的会员来了。", "四分之一的会员来了。", "20%的会员来了。"),
        ("一成的會員來了。", "三成的會員來了。", "十分之一的會員來了。"),
    ]:
        assert missing_numbers(carried, stands) == [], carried
        assert missing_numbers(foreign, stands), foreign
    for idiom, stands in [
        ("It grew in the first half of 2019.", "It grew by 12% by June 2019."),
        ("It cost half a million dollars, 12% more.", "It cost $500,000, 12% more."),
        ("Half of them came.", "Six of twelve came."),
    ]:
        assert missing_numbers(idiom, stands) == [], idiom


def test_a_date_is_told_by_one_date_and_what_that_leaves_open():
    for sentence, stands in [
        ("It opened on 5 June 2018.", "It was built by 3 May 2018 and opened on 5 June."),
        ("Er kam am 5. Juni 2018.", "Im Jahr 2018 kam er; es war am 5. Juni."),
        ("民國107年6月5日開幕。", "2018年6月5日開幕。"),
    ]:
        assert missing_numbers(sentence, stands) == [], sentence
    for sentence, stands in [
        ("It opened on 20 April 2022.", "In 2022 it had nine rooms; it opened on 20 April 2023."),
        ("Ela abriu em 20 de abril de 2022.", "Em 2022 tinha nove salas; abriu em 20 de abril de 2023."),
        ("Otwarto je 20 kwietnia 2022 roku.", "W 2022 roku był mały; otwarto je 20 kwietnia 2023 roku."),
        ("民國111年4月20日開幕。", "2022年有九間；民國112年4月20日開幕。"),
        ("2022년 4월 20일에 열렸다.", "2022년에 작았고 2023년 4월 20일에 열렸다."),
    ]:
        assert missing_numbers(sentence, stands), sentence


def test_halves_behind_numbers_and_short_units_and_years_belong_to_them():
    for half_more, stands in [
        ("It cost five and a half million.", "5.5 million"),
        ("Costó cinco millones y medio de euros.", "5,5 millones de euros"),
        ("È costato cinque milioni e mezzo di euro.", "5,5 milioni di euro"),
        ("Cela a coûté cinq millions et demi.", "5,5 millions"),
        ("Custou cinco milhões e meio de euros.", "5,5 milhões de euros"),
        ("Es kostete fünfeinhalb Millionen Euro.", "5,5 Millionen Euro"),
        ("Пришло пять с половиной миллионов человек.", "5,5 млн человек"),
        ("Beş buçuk milyon lira tuttu.", "5,5 milyon lira"),
        ("Kosztowało pięć i pół miliona złotych.", "5,5 mln zł"),
        ("Biayanya lima setengah juta rupiah.", "Rp5,5 juta"),
        ("Chi phí là năm triệu rưỡi đồng.", "5,5 triệu đồng"),
        ("זה עלה חמישה מיליון וחצי שקלים.", "5.5 מיליון שקלים"),
        ("بلغت خمسة ملايين ونصف المليون ريال.", "5.5 مليون ريال"),
        ("Det kostade fem och en halv miljon kronor.", "5,5 miljoner kronor"),
        ("इसमें साढ़े पांच करोड़ रुपये लगे।", "5.5 करोड़ रुपये"),
    ]:
        assert missing_numbers(half_more, stands) == [], half_more
        assert missing_numbers(half_more, stands.replace("5.5", "5").replace("5,5", "5")), half_more
    for sentence, stands in [
        ("It cost 2.4m pounds.", "It cost £2.4 million."),
        ("It paid three and a quarter per cent.", "It paid 3.25%."),
        ("Pagó el tres y cuarto por ciento.", "Pagó el 3,25 %."),
        ("利用率は85%だった。", "利用率は八割五分だった。"),
        ("Es kostet sechs Euro siebzig.", "Es kostet 6,70 Euro."),
        ("Cela coûte 6,70 €.", "Cela coûte six euros soixante-dix."),
        ("It cost 2.4M dollars.", "It cost $2.4 million."),
        ("Priset var 31 Mkr.", "Priset var 31 miljoner kronor."),
        ("Prisen var 31 MNOK.", "Prisen var 31 millioner kroner."),
        ("Het kostte anderhalf miljoen euro.", "Het kostte 1,5 miljoen euro."),
        ("เปิดเมื่อ 3 มี.ค. 2567", "เปิดเมื่อ 3 มีนาคม ค.ศ. 2024"),
        ("เปิดในปี ค.ศ. 2021 มีคนมาก", "เปิดในปี พ.ศ. 2564"),
        ("เปิดในปี พ.ศ. 2564", "เปิดในปี ค.ศ. 2021 มีคนมาก"),
    ]:
        assert missing_numbers(sentence, stands) == [], sentence
    assert missing_numbers("เปิดเมื่อ 3 มี.ค. 2567", "เปิดเมื่อ 3 เมษายน ค.ศ. 2024")


def test_words_of_numbers_are_read_in_the_language_of_what_is_cited():
    assert missing_numbers("Mme Arnoux a trente-huit ans.", "La doyenne, Rose Arnoux, a 48 ans.")
    assert missing_numbers("Mme Arnoux a trente-huit ans.", "La doyenne, Rose Arnoux, a 38 ans.") == []


def test_clock_times_are_compared_by_hour_and_minute():
    for carried, foreign, stands in [
        ("It shuts at 20:00.", "It shuts at 21:00.", "It opens at 7 a.m. and shuts at 8 p.m."),
        ("It opens at half past nine.", "It opens at half past ten.", "It opens at 9.30 a.m."),
        ("Es schließt um halb acht abends.", "Es schließt um halb neun abends.", "Es schließt um 19.30 Uhr."),
        ("Es öffnet um neun Uhr.", "Es öffnet um zehn Uhr.", "Es öffnet um 9 Uhr morgens."),
        ("Il ferme à 19 heures.", "Il ferme à 20 heures.", "Il ferme à sept heures du soir."),
        ("Cierra a las 22:30.", "Cierra a las 21:30.", "Cierra a las diez y media de la noche."),
        ("Chiude alle 17.15.", "Chiude alle 18.15.", "Chiude alle cinque e un quarto del pomeriggio."),
        ("Fecha às 21h30.", "Fecha às 22h30.", "Fecha às nove e meia da noite."),
        (
            "Het sluit half acht 's avonds.",
            "Het sluit om half negen 's avonds.",
            "Het sluit om 19.30 uur.",
        ),
        ("Det stänger klockan 21.", "Det stänger klockan 22.", "Det stänger klockan nio på kvällen."),
        ("Det lukker kl. 19.30.", "Det lukker kl. 20.30.", "Det lukker halv otte om aftenen."),
        ("Zamykają o 22:00.", "Zamykają o 21:00.", "Zamykają o dziesiątej wieczorem."),
        ("Zavírají v 19:30.", "Zavírají v 20:30.", "Zavírají v půl osmé večer."),
        ("Он закрывается в девять вечера.", "Он закрывается в восемь вечера.", "Он закрывается в 21:00."),
        ("Зачиняють о дев'ятій вечора.", "Зачиняють о восьмій вечора.", "Зачиняють о 21:00."),
        ("Akşam dokuzda kapanır.", "Akşam sekizde kapanır.", "Saat 21.00'de kapanır."),
        ("يغلق الساعة 21:00.", "يغلق الساعة 22:00.", "يغلق في التاسعة مساء."),
        ("הוא נסגר בשעה תשע בערב.", "הוא נסגר בשעה שמונה בערב.", "הוא נסגר ב-21:00."),
        ("वह रात 9 बजे बंद होता है।", "वह रात 8 बजे बंद होता है।", "वह 21:00 बंद होता है।"),
        ("Tutup pukul 21.00.", "Tutup pukul 20.00.", "Tutup pukul sembilan malam."),
        ("Đóng cửa lúc 9 giờ tối.", "Đóng cửa lúc 8 giờ tối.", "Đóng cửa lúc 21:00."),
        ("ปิดเวลา 21:00 น.", "ปิดเวลา 20:00 น.", "ปิดตอนสามทุ่ม"),
        ("오후 9시에 닫는다.", "오후 8시에 닫는다.", "밤 아홉 시에 닫는다."),
        ("21時半に閉まる。", "20時半に閉まる。", "午後9時30分に閉まる。"),
        ("下午三点半关门。", "下午四点半关门。", "15:30关门。"),
        ("晚上八點關門。", "晚上九點關門。", "20:00關門。"),
    ]:
        assert missing_numbers(carried, stands) == [], carried
        assert missing_numbers(foreign, stands), foreign


def test_decades_are_compared_in_digits_and_words():
    for carried, foreign, stands in [
        ("It was built in the sixties.", "It was built in the seventies.", "It was built in the 1960s."),
        ("Es entstand in den sechziger Jahren.", "Es entstand in den 1950er Jahren.", "Es ist von 1964."),
        ("Elle date des années 70.", "Elle date des années quatre-vingt.", "Elle date des années 1970."),
        ("Es de los años setenta.", "Es de los años ochenta.", "Es de la década de 1970."),
        ("È degli anni '70.", "È degli anni Ottanta.", "È degli anni Settanta."),
        ("É dos anos 80.", "É dos anos noventa.", "É dos anos oitenta."),
        ("Het is uit de jaren zestig.", "Het is uit de jaren vijftig.", "Het is uit de jaren 60."),
        ("Den är från 60-talet.", "Den är från 50-talet.", "Den är från sextiotalet."),
        ("Den er fra 1960'erne.", "Den er fra halvtredserne.", "Den er fra tresserne."),
        (
            "Stał w latach 60.",
            "Stał w latach 50.",
            "Stał w latach sześćdziesiątych.",
        ),
        ("Stojí od šedesátých let.", "Stojí od padesátých let.", "Je z 60. let; v roce 1964 otevřen."),
        ("Он построен в 60-х годах.", "Он построен в 70-х годах.", "Он построен в шестидесятые годы."),
        ("Altmışlı yıllarda yapıldı.", "Yetmişli yıllarda yapıldı.", "1960'lı yıllarda yapıldı."),
        ("بُني في الستينيات.", "بُني في السبعينيات.", "بُني في عام 1964."),
        ("הוא נבנה בשנות ה-60.", "הוא נבנה בשנות ה-70.", "הוא נבנה בשנות השישים."),
        ("यह साठ के दशक में बना।", "यह सत्तर के दशक में बना।", "यह 1964 में बना।"),
        ("Dibangun pada enam puluhan.", "Dibangun pada tujuh puluhan.", "Dibangun pada 1960-an."),
        ("Xây vào thập niên sáu mươi.", "Xây vào thập niên bảy mươi.", "Xây vào thập niên 1960."),
        ("60년대에 지었다.", "70년대에 지었다.", "1960년대에 지었다."),
        ("建于上世纪六十年代。", "建于上世纪七十年代。", "建于1960年代。"),
    ]:
        assert missing_numbers(carried, stands) == [], carried
        assert missing_numbers(foreign, stands), foreign
    for carried, foreign, stands in [
        ("Nacque nel Seicento.", "Nacque nel Settecento.", "Nacque nel XVII secolo."),
        ("È del Novecento.", "È dell'Ottocento.", "È del 1923."),
        ("Risale al XV secolo.", "Risale al XIV secolo.", "Risale al Quattrocento."),
    ]:
        assert missing_numbers(carried, stands) == [], carried
        assert missing_numbers(foreign, stands), foreign
    assert missing_numbers("It is open 9am-5pm.", "It is open from 9 a.m. to 5 p.m.") == []
    assert missing_numbers("She is in her sixties.", "She was born in 1950 and is 64.") == []


def test_a_long_run_of_letters_is_read_in_one_way_only():
    found = figures("ול" * 2000 + " 12")
    assert [figure.readings for figure in found] == [(Decimal(12),)]
