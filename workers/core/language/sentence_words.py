"""Capitalised words that are not names, by language: first words, titles, months and weekdays."""

from __future__ import annotations

import re
from functools import cache

from workers.core.language.figures.words import calendar, roman_value
from workers.core.language.languages import function_words

# What a sentence may begin with although no source says it: articles, prepositions, conjunctions, adverbs,
# pronouns, yes and no.
_OPENERS = {
    "de": (
        "frühestens spätestens mindestens höchstens erstmals letztmals "
        "ja nein doch laut seit während wegen trotz gemäß unter über durch gegen ohne um zwischen neben "
        "hinter vor "
        "daher deshalb damit dabei dafür danach davor darunter dort dann hier heute gestern morgen damals "
        "später "
        "zuerst zunächst schließlich insgesamt außerdem zudem allerdings jedoch aber denn weil obwohl wenn "
        "als da "
        "dies diese dieser dieses diesem diesen jene jener jenes man es ihr ihre ihrem ihrer sein seine "
        "seinem seiner "
        "mein meine unser unsere alle allein beide beiden viele einige mehrere manche etwa rund fast kaum "
        "knapp mehr "
        "weniger genau nur auch noch schon erst bereits was wer wo wann wie warum welche welcher welches "
        "jede jeder "
        "jedes niemand nichts keiner keine kein weder sowohl entweder jährlich täglich zwar so somit statt "
        "anstelle "
        "eigentümer bis beim vom ans ins aufs innerhalb außerhalb mithilfe anlässlich"
    ),
    "fr": (
        "oui non parmi selon depuis pendant durant avant après sous vers chez entre contre sans malgré "
        "grâce afin "
        "ainsi alors donc car or puis ensuite enfin aussi cependant toutefois néanmoins pourtant toujours "
        "jamais déjà "
        "encore seulement environ près plus moins beaucoup plusieurs chaque chacun certains certaines "
        "aucun aucune "
        "tout toute tous toutes rien personne cela ceci ça celui celle ceux celles cet ces ce on lui y en "
        "jusqu lors "
        "lorsque quand comme comment où qui quel quelle quels quelles si leurs notre nos votre vos mon ma "
        "mes ton "
        "ta tes aujourd hier demain ici là au-delà outre hormis dès il elle ils elles le la les un une des"
    ),
    "es": (
        "sí no entre según desde hasta durante tras ante bajo sobre contra sin mediante además también "
        "tampoco "
        "aunque porque pues así entonces luego después antes ahora hoy ayer mañana siempre nunca ya "
        "todavía aún sólo "
        "solo casi cerca más menos muchos muchas varios varias algunos algunas cada todo toda todos todas "
        "ambos "
        "ambas ninguno ninguna nadie nada algo alguien este esta estos estas ese esa esos esas aquel "
        "aquella ello "
        "ellos ellas él ella ellos usted nosotros nuestro nuestra mi tu sus cuando donde dónde quién "
        "quiénes cómo "
        "cuánto cuántos cuántas si al allí aquí fue fueron es son hay había hubo tiene tenía cuenta dicho "
        "dicha "
        "su los las el la lo un una unos unas de del por para con en a"
    ),
    "pt": (
        "sim não entre segundo desde até durante após antes depois sob sobre contra sem além também embora "
        "porque "
        "pois assim então logo agora hoje ontem amanhã sempre nunca já ainda só apenas quase cerca mais "
        "menos muitos "
        "muitas vários várias alguns algumas cada todo toda todos todas ambos ambas nenhum nenhuma ninguém "
        "nada algo "
        "alguém este esta estes estas esse essa esses essas aquele aquela isto isso ele ela eles elas você "
        "nós nosso "
        "nossa meu minha seu sua seus suas quando onde quem como quanto quantos se ao aos à às num numa "
        "foi foram é "
        "são há havia tem tinha o a os as um uma de da do em no na por para com pelo pela"
    ),
    "it": (
        "sì no fra tra secondo da dal dalla dai fino durante dopo prima sotto sopra contro senza inoltre "
        "anche benché "
        "perché poiché così allora quindi poi ora oggi ieri domani sempre mai già ancora solo soltanto "
        "quasi circa più "
        "meno molti molte diversi diverse alcuni alcune ogni tutto tutta tutti tutte entrambi entrambe "
        "nessuno nessuna "
        "niente qualcosa qualcuno questo questa questi queste quello quella ciò esso essa lui lei loro "
        "egli ella noi "
        "nostro nostra mio mia suo sua suoi sue quando dove chi come quanto quanti se al allo alla ai agli "
        "alle nel "
        "nello nella nei negli nelle sul sulla è sono c'è era fu furono ha hanno il lo la i gli le un uno "
        "una di del "
        "della dei delle per con in a"
    ),
    "nl": (
        "ja nee volgens sinds tijdens onder boven tussen tegen zonder door voor na naast achter daarom dus "
        "toen dan nu "
        "hier daar vandaag gisteren morgen later eerst uiteindelijk verder bovendien echter maar want "
        "omdat hoewel als "
        "dit dat deze die het de een er zij hij ze we wij men haar zijn hun ons onze mijn alle beide veel "
        "enkele "
        "verschillende ongeveer bijna meer minder slechts ook nog al pas wat wie waar wanneer hoe welke "
        "elke iedere "
        "niemand niets geen zowel jaarlijks dagelijks in op aan bij met naar uit van om te over"
    ),
    "pl": (
        "tak nie zdaniem według podczas od do po przed pod nad "
        "między przez bez dla wobec dzięki mimo oprócz zatem "
        "więc wtedy "
        "potem następnie teraz dziś wczoraj jutro zawsze nigdy już jeszcze tylko prawie około ponad więcej "
        "mniej wiele "
        "wielu kilka każdy każda każde wszystkie wszyscy oba obie żaden żadna nikt nic coś ktoś ten ta to "
        "te ci tamten "
        "on ona ono oni one my jego jej ich nasz nasza mój moja swój gdy kiedy gdzie kto co jak ile czy "
        "jeśli ponieważ "
        "chociaż jednak ale oraz także również w we z ze na o u i a za przy ku"
    ),
    "cs": (
        "ano ne podle během od do po před pod nad mezi přes bez pro kvůli díky kromě proto tedy tehdy "
        "potom pak nyní "
        "dnes včera zítra vždy nikdy už již ještě jen pouze téměř asi přibližně více méně mnoho několik "
        "každý každá "
        "každé všechny všichni oba obě žádný žádná nikdo nic něco někdo ten ta to ti ty tento tato toto on "
        "ona ono oni "
        "my jeho její jejich náš naše můj svůj když kdy kde kdo co jak kolik zda jestliže protože ačkoli "
        "však ale také "
        "rovněž v ve z ze na o u i a za při k ke s se"
    ),
    "tr": (
        "evet hayır göre sonra önce beri kadar arasında üzerinde altında karşı rağmen için ile ancak fakat "
        "ama çünkü "
        "ayrıca böylece şimdi bugün dün yarın her bütün tüm bazı birçok çok az daha en yaklaşık sadece "
        "yalnızca bu şu "
        "o bunlar onlar onun bunun biz siz ben kim ne nerede nasıl kaç hangi hiç hiçbir kimse ilk son yeni "
        "eski bir iki "
        "toplam"
    ),
    "ru": (
        "да нет именно лишь даже либо или согласно после перед под над между через без "
        "кроме благодаря несмотря поэтому "
        "тогда потом "
        "затем теперь сейчас сегодня вчера завтра всегда никогда уже ещё только почти около примерно более "
        "больше "
        "менее меньше много несколько каждый каждая каждое все всё весь вся оба обе никто ничто ничего "
        "никакой что-то "
        "кто-то этот эта это эти тот та то те он она оно они мы вы я его её их наш наша мой свой когда где "
        "кто что как "
        "сколько если хотя однако но также кроме среди вместо ввиду в во с со на о об у и а за при к ко из "
        "от до по "
        "для там здесь туда ни не"
    ),
    "uk": (
        "так ні або чи згідно після перед під над між через без крім завдяки попри тому тоді потім згодом "
        "тепер зараз "
        "сьогодні вчора завтра завжди ніколи вже ще лише тільки майже близько приблизно понад більше менше "
        "багато "
        "кілька кожен кожна кожне всі все весь уся обидва обидві ніхто ніщо нічого цей ця це ці той та те "
        "ті він вона "
        "воно вони ми ви я його її їх їхній наш наша мій свій коли де хто що як скільки якщо хоча однак "
        "але також серед "
        "замість у в з зі із на о об і й а за при до від по для там тут не"
    ),
    "bg": (
        "да не според след преди под над между през без освен затова тогава после сега днес все всички "
        "този тази това "
        "тези той тя то те когато къде кой какво как ако но също в във с със на за от до при по"
    ),
    "fi": (
        "kyllä ei mukaan jälkeen ennen aikana ilman kanssa siksi silloin sitten nyt tänään eilen aina "
        "koskaan jo vielä "
        "vain lähes noin yli alle enemmän vähemmän monet useat kaikki jokainen molemmat kukaan mikään tämä "
        "tuo se nämä "
        "ne hän he me te minä hänen heidän sen kun missä kuka mikä miten kuinka jos koska vaikka mutta "
        "myös ja että "
        "lisäksi uusi uuden vuonna vuodesta yhteensä"
    ),
    "hu": (
        "igen nem szerint után előtt alatt között nélkül ezért akkor majd most ma tegnap mindig soha már "
        "még csak majdnem "
        "körülbelül több kevesebb sok néhány minden mindegyik mindkét senki semmi ez az ezek azok ő ők mi "
        "én a az egy "
        "amikor hol ki mi hogyan mennyi ha mert bár de is és hogy összesen évente új"
    ),
    "sv": (
        "ja nej enligt sedan under efter före mellan utan därför då nu idag alla båda många några varje "
        "ingen inget "
        "detta denna dessa han hon den det de vi i på av för med till från om när var vem vad hur men "
        "också en "
        "ett"
    ),
    "da": (
        "ja nej ifølge siden under efter før mellem uden derfor da nu i dag alle begge mange nogle hver "
        "ingen intet "
        "dette denne disse han hun den det de vi i på af for med til fra om når hvor hvem hvad hvordan men "
        "også en et"
    ),
    "ro": (
        "potrivit "
        "da nu conform după înainte sub peste între fără pentru prin astfel atunci apoi acum azi ieri "
        "mereu deja doar "
        "aproape circa toți toate ambii fiecare nimeni nimic acest această acești acestea el ea ei ele când "
        "unde cine ce cum "
        "dacă dar și în la din cu pe de"
    ),
    "el": (
        "ναι όχι σύμφωνα μετά πριν κατά μεταξύ χωρίς λόγω γι έτσι τότε τώρα σήμερα πάντα ποτέ ήδη ακόμα "
        "μόνο σχεδόν "
        "περίπου όλοι όλες όλα κάθε κανείς τίποτα αυτός αυτή αυτό αυτοί αυτές αυτά ο η το οι τα ένας μια ένα "
        "στο στη στην "
        "στον στις στους στα από με για σε του της των τον την τους τις ποιος πού πότε πώς όταν αν "
        "αλλά επίσης "
        "και η"
    ),
    "vi": (
        "có không theo từ sau trước trong ngoài trên dưới giữa vì nên do đó khi lúc nay hôm tất cả mọi mỗi "
        "nhiều một "
        "các những này kia ông bà anh chị cô chú họ chúng nó ai gì đâu nào bao nếu nhưng cũng và với cho đến "
        "tại ở người "
        "công trường năm ngày tháng chợ giám tổng số giá tiền nhà hợp"
    ),
    "id": (
        "ya tidak menurut sejak setelah sesudah sebelum selama antara tanpa karena oleh maka lalu kemudian "
        "kini hari "
        "semua setiap banyak beberapa hanya hampir sekitar lebih kurang ini itu dia ia mereka kami kita saya "
        "siapa apa "
        "mana kapan bagaimana berapa jika tetapi juga dan dengan untuk dari ke di pada para sang seorang "
        "sebuah jumlah"
    ),
}
_OPENERS["ms"] = _OPENERS["id"] + " kerana ialah bahawa"
_OPENERS["sk"] = _OPENERS["cs"] + " áno nie podľa počas pred medzi cez pretože"
_OPENERS["no"] = _OPENERS["da"] + " ifølge mellom etter uten av fra nå"
# What a place or a person is, before its name: no name, though a sentence begins with it.
_KINDS = """
    город села село деревня посёлок река озеро улица площадь завод фабрика школа музей театр клуб библиотека
    компания фирма директор председатель президент мэр глава министр режиссёр писатель художник
    архитектор автор
    місто село річка вулиця завод школа музей театр бібліотека компанія директор директорка голова
    президент мер
    projekt dzieło praca sala budynek проект зал здание
    miasto wieś rzeka ulica fabryka szkoła muzeum teatr biblioteka firma dyrektor dyrektorka prezes prezydent
    burmistrz wójt minister pisarz malarz architekt autor autorka kierownik kierowniczka
    město vesnice obec řeka ulice továrna škola divadlo knihovna ředitel ředitelka starosta starostka předseda
    ville village commune rivière rue usine école musée théâtre société directeur directrice maire président
    présidente ministre écrivain peintre architecte
    ciudad pueblo villa río calle fábrica escuela museo teatro empresa director directora alcalde alcaldesa
    presidente presidenta ministro ministra escritor pintor arquitecto
    cidade vila aldeia rio rua escola museu empresa diretor diretora prefeito prefeita autor autora
    città paese fiume via fabbrica scuola museo teatro biblioteca azienda direttore direttrice sindaco sindaca
    stad dorp rivier straat fabriek school museum theater bibliotheek bedrijf directeur
    burgemeester voorzitter
    şehir köy nehir fabrika okul müze tiyatro kütüphane şirket müdür başkan belediye yazar ressam mimar kent
    kaupunki kylä joki tehdas koulu museo teatteri kirjasto yhtiö johtaja pormestari kirjailija arkkitehti
    város falu folyó gyár iskola múzeum színház könyvtár cég igazgató polgármester író építész
    stad by flod gata fabrik skola teater bibliotek företag chef rektor borgmästare ordförande leder direktør
    πόλη χωριό ποτάμι σχολείο μουσείο θέατρο βιβλιοθήκη εταιρεία διευθυντής διευθύντρια δήμαρχος πρόεδρος
    thành phố làng sông trường bảo tàng thư viện giám đốc chủ tịch hiệu
    kota desa sungai sekolah museum perpustakaan perusahaan direktur kepala walikota bupati
    orașul satul râul școala muzeul directorul directoarea primarul
    grad selo rijeka škola muzej direktor ravnatelj gradonačelnik predsjednik
"""
# What persons do or are, before their names, in the languages that write it there with a capital.
_OCCUPATIONS = frozenset(
    """
    actor actress adviser advisor agent ambassador analyst arbiter architect archivist artist astronaut
    astronomer athlete attorney author bandleader banker barrister biologist bishop botanist boxer
    broadcaster builder businessman businesswoman captain carpenter cellist chairman chairwoman chancellor
    chef chemist choirmaster choreographer coach columnist comedian commander composer conductor councillor
    curator dancer deputy designer detective diplomat director doctor drummer economist editor engineer
    explorer farmer filmmaker financier fisherman footballer founder gardener geologist golfer governor
    guitarist headmaster headmistress historian illustrator inspector inventor journalist judge lawyer
    lecturer librarian lieutenant linguist magistrate manager mathematician mayor mechanic merchant midwife
    minister missionary musician novelist nurse officer organist owner painter pastor philosopher
    photographer physicist pianist playwright poet policeman politician president priest producer professor
    programmer prosecutor psychologist publisher rector reporter researcher sailor saxophonist scientist
    sculptor secretary senator sergeant shareholder singer soldier soprano surgeon surveyor swimmer teacher
    tenor translator treasurer trustee violinist writer anwalt anwältin architektin arzt ärztin autor
    autorin bäcker bäckerin baron baronin bäuerin bischof bischöfin bürgermeister bürgermeisterin dichter
    dichterin dirigent dirigentin fotograf fotografin förster försterin gärtner gärtnerin geiger geigerin
    graf gräfin imker imkerin kantor kantorin kapitän kapitänin kassenwart kassenwartin komponist
    komponistin lehrer lehrerin maler malerin organistin pfarrer pfarrerin pianistin politiker politikerin
    richterin sänger sängerin schauspieler schauspielerin schreiner schreinerin schriftsteller
    schriftstellerin tischler tischlerin wirt wirtin witwe
    """.split()  # noqa: SIM905 - as above
)
_COMPOUND_OCCUPATIONS = re.compile(
    r"\w{3,30}(?:leiter|direktor|lehrer|minister|präsident|chef|sprecher|forscher|künstler|spieler|händler|"
    r"ingenieur|historiker|wissenschaftler|politiker|sekretär|verwalter)(?:in)?|\w{3,30}(?:arzt|ärztin|anwalt|"
    r"anwältin)"
)
# Ends of compounds that say the same.
_COMPOUND_KINDS = re.compile(
    r"\w{2,}(?:bolaget|företaget|fabriken|föreningen|klubben|skolan|museet|teatern|verket|"
    r"selskabet|selskapet|bedriften|virksomheden|foreningen|fabrikken|skolen|teatret|"
    r"bedrijf|fabriek|vereniging|school|museum|yhtiö|tehdas|yhdistys|seura|koulu|museo|kirjasto|"
    r"gyár|társaság|egyesület|iskola|múzeum)"
)
# Before names, not of them: forms of address, ranks and offices. Compared without their points.
_TITLES = """
    herr herrn frau fräulein dr drin prof profin doktor professor ing dipl mag maga magin dipl-ing univ-prof
    m mm mme mmes mlle monsieur madame mademoiselle maître docteur
    seu sr sra srta señor señora señorita don doña dña d doctor doctora dra ing inga lic lcdo lcda ingeniero
    ingeniera profa profesor profesora arq arqta mtro mtra
    senhor senhora dom dona doutor doutora dro eng engo enga engenheiro engenheira profa professora
    sig sigra signor signora signorina dott dottssa dottor dottoressa avv arch geom rag cav profssa
    professore professoressa ingegnere ingegnera
    dhr mevr mevrouw meneer heer ir drs
    pan pani panna pana panu panem paní pán mgr inż inz dr hab ing judr mudr phdr rndr bc profesorka doktorka
    profesor inżynier inženýr inženýrka
    bay bayan hanım bey sayın doç müh uzm yrd öğr mim
    господин госпожа г-н г-жа гн гжа доктор профессор пан пані пані
    rouva herra neiti úr kisasszony dr
    fru hr hra fröken
    domnul doamna dl dna
    κ κα κος κύριος κυρία δρ ο η
    ông bà anh chị cô bác thầy
    bapak bpk ibu pak bu tuan nyonya encik puan haji
    mr mrs ms miss sir
"""
# What a firm is by law, beside its name: left off or added, it names the same one.
_LEGAL = frozenset(
    """
    ag gmbh mbh kg kgaa ohg gbr ug se ev eg ltd limited plc llc llp inc corp co cie
    sa sas sarl srl sl slu sau spa snc sapa lda ltda eireli bv nv vof ab as asa oy oyj aps kft zrt nyrt bt
    sp spj spk sro doo dd ad ood aş şti pt cv tbk sdn bhd jsc ооо оао зао пао ао тов прат пат αε επε
    """.split()  # noqa: SIM905 - a list of words reads best
)
_ROMAN = re.compile(r"(?P<numeral>[IVXLC]{1,7})(?:e|er|ème|º|°)?")
_SECOLO = re.compile("(?:Due|Tre|Quattro|Cinque|Sei|Sette|Otto|Nove)cento")
# What an article or a preposition leaves before a name, and a case behind it: d'Anselme, Ankara'da.
_ELIDED = re.compile(r"^(?:(?:[a-zà-ÿ]{1,5}|[DLQJSNMTC]|Dell|All|Nell|Sull|Dall|Un|Qu)['’])(?=\w)")
_ADDED = re.compile(r"(?<=\w)['’](?!s$|t$)[a-zà-ÿçğıöşü]{1,7}$")


@cache
def openers(language: str) -> frozenset[str]:
    """Return the words of a language that begin sentences but not names; none if it is unknown."""
    return frozenset(_OPENERS.get(language, "").split()) | function_words(language)


@cache
def _titles() -> frozenset[str]:
    return frozenset(_TITLES.split())


@cache
def _kinds() -> frozenset[str]:
    return frozenset(_KINDS.split())


def is_kind(word: str) -> bool:
    """Return whether a word describes the name after it, in a language other than English."""
    return word.casefold() in _kinds()


def is_kind_of_named(word: str) -> bool:
    """Return whether a word before a name is a compound that describes it: Sågverksbolaget."""
    return _COMPOUND_KINDS.fullmatch(word.casefold()) is not None


def is_occupation(word: str) -> bool:
    """Return whether a word before a name is a person's trade or title: actress, Bürgermeister, директор."""
    folded = word.casefold()
    return folded in _OCCUPATIONS or is_kind(folded) or _COMPOUND_OCCUPATIONS.fullmatch(folded) is not None


def is_title(word: str) -> bool:
    """Return whether a word as written is a form of address in some language."""
    return word.casefold().replace(".", "") in _titles()


def is_legal_form(word: str, before: str, after: str) -> bool:
    """Return whether a word beside a name is a firm's legal form: AG, S.A., Ltd.

    Args:
        word: as written.
        before: the word before it, if any.
        after: the word behind it, if any.
    """
    return (
        not word.islower()
        and word.casefold().replace(".", "") in _LEGAL
        and (before[:1].isupper() or after[:1].isupper())
    )


def is_of_calendar(word: str, language: str) -> bool:
    """Return whether a word is a month or a day of the week in a language that capitalises them."""
    small, names = word.casefold().rstrip("."), calendar().get(language, ())
    return small in names or f"{small}ς" in names  # a Greek accusative


def is_century(word: str) -> bool:
    """Return whether a word as written is a Roman numeral, as of a century, or one of Italian's centuries."""
    roman = _ROMAN.fullmatch(word)
    return (roman is not None and roman_value(roman["numeral"]) is not None) or _SECOLO.fullmatch(
        word
    ) is not None


def without_clitics(word: str) -> str:
    """Return a word without prefixes joined to it: Anselme for d'Anselme, July for mid-July."""
    while "-" in word:
        head, _, rest = word.partition("-")
        if len(head) == 1 or not head.islower() or rest.islower():
            break
        word = rest
    if "'" not in word and "’" not in word:
        return word
    return _ELIDED.sub("", _ADDED.sub("", word))
