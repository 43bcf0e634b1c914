"""Names in every language: what a sentence may say of what its text names, and what it may not."""

from __future__ import annotations

import pytest

from workers.core.answers.check import missing_names

# A text; sentences that name nothing else; sentences that do, one thing each.
TEXTS = {
    "ru": (
        "Директор завода «Прогресс» Анна Иванова встретилась в Москве с Павлом Загорулько.",
        [
            "С Анной Ивановой встретился Павел Загорулько.",
            "Встреча с директором завода прошла в Москве.",
            "Завод возглавляет Анна Иванова.",
            "Либо Иванова, либо Загорулько был в Москве.",
            "Нет, встреча прошла не в другом городе, а в Москве.",
            "Москва приняла Анну Иванову.",
        ],
        [
            "С Анной Петровой встретился Павел Загорулько.",
            "Встреча прошла в Твери.",
            "Заводом руководит Мария Иванова.",
            "Загорский встретился с директором.",
            "Директор — Анна Ивашова.",
        ],
    ),
    "uk": (
        "Голова громади Оксана Мельник відкрила школу у Вінниці разом із Петром Ковальчуком.",
        [
            "Школу у Вінниці відкрили Оксана Мельник і Петро Ковальчук.",
            "Вінниця має нову школу.",
            "Петра Ковальчука згадано разом із Оксаною Мельник.",
            "Так, школу відкрила голова громади.",
        ],
        [
            "Школу відкрили у Львові.",
            "Школу відкрила Оксана Мельничук.",
            "Разом із нею був Петро Коваленко.",
        ],
    ),
    "pl": (
        "Dyrektor muzeum Jan Kowalski otworzył w Krakowie wystawę prac Zofii Nowak.",
        [
            "Kraków ma nową wystawę.",
            "Wystawę prac otworzył Jan Kowalski.",
            "Zofia Nowak ma wystawę w Krakowie.",
            "Otwarcia dokonano z Janem Kowalskim.",
            "Według tekstu wystawę otworzył Kowalski.",
        ],
        [
            "Wystawę otworzył Jan Kowalczyk.",
            "Wystawę otwarto w Poznaniu.",
            "Prace są Zofii Nowickiej.",
        ],
    ),
    "cs": (
        "Starostka Jana Nováková otevřela v Praze knihovnu, kterou navrhl Karel Dvořák.",
        [
            "Praha má novou knihovnu.",
            "Knihovnu v Praze otevřela Jana Nováková.",
            "Autorem návrhu Karla Dvořáka je knihovna.",
            "Podle textu ji navrhl Dvořák.",
            "Ano, s Janou Novákovou.",
        ],
        [
            "Knihovnu otevřela Jana Novotná.",
            "Knihovna stojí v Brně.",
            "Navrhl ji Karel Dušek.",
        ],
    ),
    "tr": (
        "Müdür Ahmet Yıldırım, Ankara'da yeni kütüphaneyi 5 Mayıs'ta açtı.",
        [
            "Ankara yeni bir kütüphaneye kavuştu.",
            "Kütüphane Ahmet Yıldırım tarafından Ankara'nın merkezinde açıldı.",
            "Kütüphaneyi Yıldırım açtı.",
            "Evet, kütüphane Mayıs ayında açıldı.",
            "Ahmet Bey kütüphaneyi açtı.",
        ],
        [
            "Kütüphane İzmir'de açıldı.",
            "Kütüphaneyi Ahmet Yıldız açtı.",
            "Kütüphaneyi Mehmet Yıldırım açtı.",
        ],
    ),
    "de": (
        (
            "Im Januar wählte die Mitgliederversammlung des Gartenvereins Birkenau Frau Sabine Petersen "
            "zur Vorsitzenden."
        ),
        [
            "Nein, die Versammlung lehnte im Monat Januar nichts ab.",
            "Die Wahl war im Januar.",
            "Vorsitzende des Gartenvereins ist Sabine Petersen.",
            "Der Verein in Birkenau hat eine neue Leitung.",
            "Die Abstimmung fand zu Beginn des Jahres statt.",
            "Zur Vorsitzenden wurde Frau Petersen bestimmt.",
            "Bei der Wahl stimmten die Mitglieder mit Mehrheit für Petersen.",
            "Laut Protokoll übernahm sie das Amt.",
        ],
        [
            "Vorsitzende ist Sabine Peters.",
            "Die Wahl gewann Frau Hofmeister.",
            "Der Verein wählte in Salzburg.",
            "Vorsitzende wurde Monika Petersen.",
            "Gewählt wurde Sabine Petermann.",
            "Der Verein Lindenau wählte.",
        ],
    ),
    "fr": (
        "Au XVIIIe siècle, Louis d'Anselme fit bâtir le moulin de Saint-Rémy sur l'Orbe.",
        [
            "Parmi les bâtiments du XVIIIe siècle figure le moulin d'Anselme.",
            "Anselme a construit un moulin au XVIIIe siècle.",
            "Selon le texte, le moulin de Saint-Rémy se trouve sur l'Orbe.",
            "Oui, M. d'Anselme l'a bâti.",
            "Construit par Louis d'Anselme, il se trouve à Saint-Rémy.",
        ],
        [
            "Le moulin fut bâti par Louis d'Anjou.",
            "Le moulin se trouve à Saint-Paul.",
            "Anselin est le bâtisseur du moulin.",
            "Le moulin est sur l'Orne.",
        ],
    ),
    "es": (
        "La alcaldesa Mariana Robles inauguró en Sevilla el museo dedicado al pintor Julio Peña.",
        [
            "Según el texto, Robles inauguró el museo.",
            "Sí, la señora Robles lo inauguró en Sevilla.",
            "Inaugurado por Mariana Robles, el museo recuerda a Peña.",
            "Los visitantes conocen al pintor Julio Peña.",
        ],
        [
            "La alcaldesa es Marian Robles.",
            "El museo está en Córdoba.",
            "El pintor es Julio Peralta.",
            "Robledo es la alcaldesa.",
        ],
    ),
    "pt": (
        "O prefeito Joaquim Teixeira abriu em Coimbra a biblioteca desenhada por Beatriz Lobo.",
        [
            "Os leitores de Coimbra têm uma biblioteca nova.",
            "Segundo o texto, o senhor Teixeira abriu a biblioteca.",
            "Não, foi Beatriz Lobo quem a desenhou.",
        ],
        [
            "O prefeito é Joaquim Teles.",
            "A biblioteca fica em Braga.",
            "Foi desenhada por Beatriz Lopes.",
        ],
    ),
    "it": (
        (
            "La sindaca Chiara Bellini ha aperto a Parma il teatro dell'Arte, "
            "progettato da Ugo Ferri nel XIX secolo."
        ),
        [
            "Secondo il testo, il teatro dell'Arte si trova a Parma.",
            "Il progetto di Ugo Ferri è del XIX secolo.",
            "La signora Bellini ha aperto il teatro.",
            "Nel XIX secolo Ferri lo progettò.",
        ],
        [
            "La sindaca è Chiara Bellucci.",
            "Il teatro si trova a Modena.",
            "Lo progettò Ugo Ferrari.",
        ],
    ),
    "nl": (
        "Burgemeester Pieter de Vries opende in Utrecht het park van Saskia Jansen.",
        [
            "Volgens de tekst opende De Vries het park.",
            "Het park in Utrecht is van Saskia Jansen.",
            "Mevrouw Jansen maakte het park.",
        ],
        [
            "Het park ligt in Breda.",
            "Burgemeester is Pieter de Boer.",
            "Het park is van Saskia Jacobs.",
            "Het park is van Saskia Jans.",
        ],
    ),
    "fi": (
        "Johtaja Matti Virtanen avasi Helsingissä museon, jonka suunnitteli Aino Korhonen.",
        [
            "Helsinki sai museon.",
            "Museon avasi Matti Virtanen Helsingissä.",
            "Virtasen museo on Helsingissä.",
            "Suunnittelija oli Aino Korhonen.",
            "Aino Korhosen suunnittelema museo avattiin.",
        ],
        [
            "Museo on Turussa.",
            "Museon avasi Matti Virta.",
            "Suunnittelija oli Aino Korpela.",
        ],
    ),
    "hu": (
        "Szabó Péter igazgató Budapesten nyitotta meg a múzeumot, amelyet Kovács Anna tervezett.",
        [
            "Budapest új múzeumot kapott.",
            "A múzeumot Szabó Péter nyitotta meg.",
            "Kovács Annával tervezték a múzeumot.",
            "A szöveg szerint Szabó Péternek köszönhető.",
        ],
        [
            "A múzeum Debrecenben nyílt meg.",
            "Az igazgató Szalai Péter.",
            "A múzeumot Kovács Anita tervezte.",
        ],
    ),
    "el": (
        "Ο δήμαρχος Νίκος Παπαδόπουλος εγκαινίασε στην Πάτρα τη βιβλιοθήκη της Ελένης Μαυρίδη.",
        [
            "Η Πάτρα έχει νέα βιβλιοθήκη.",
            "Σύμφωνα με το κείμενο, τη βιβλιοθήκη εγκαινίασε ο Παπαδόπουλος.",
            "Η Ελένη Μαυρίδη έχει βιβλιοθήκη στην Πάτρα.",
            "Τα εγκαίνια έκανε ο κ. Παπαδόπουλος.",
        ],
        [
            "Ο δήμαρχος είναι ο Νίκος Παπαδάκης.",
            "Η βιβλιοθήκη είναι στη Λάρισα.",
            "Η βιβλιοθήκη είναι της Ελένης Μακρή.",
        ],
    ),
    "lv": (
        "Direktors Jānis Bērziņš atklāja muzeju Rīgā kopā ar Annu Ozolu.",
        [
            "Rīga ieguva muzeju.",
            "Muzeju atklāja Jānis Bērziņš.",
            "Anna Ozola bija klāt.",
        ],
        [
            "Muzejs ir Liepājā.",
            "Muzeju atklāja Jānis Kalniņš.",
        ],
    ),
    "vi": (
        "Ông Nguyễn Văn Ân là giám đốc bảo tàng ở Huế, mở cửa từ tháng 5.",
        [
            "Giám đốc bảo tàng là ông Nguyễn Văn Ân.",
            "Bảo tàng nằm ở Huế.",
            "Ông Ân điều hành bảo tàng.",
            "Theo tài liệu, bảo tàng mở cửa từ tháng 5.",
        ],
        [
            "Giám đốc là ông Trần Văn Ân.",
            "Bảo tàng nằm ở Đà Nẵng.",
        ],
    ),
    "id": (
        "Kepala sekolah Siti Rahayu membuka perpustakaan di Bandung pada bulan Mei.",
        [
            "Perpustakaan di Bandung dibuka oleh Ibu Rahayu.",
            "Menurut teks, perpustakaan dibuka pada bulan Mei.",
            "Ya, Siti Rahayu membukanya.",
        ],
        [
            "Perpustakaan itu di Surabaya.",
            "Kepala sekolah adalah Siti Rahmawati.",
            "Kepala sekolah adalah Dewi Rahayu.",
        ],
    ),
    "hi": (
        "निदेशक राजेश शर्मा ने जयपुर में नया पुस्तकालय खोला।",
        [
            "पुस्तकालय जयपुर में है।",
            "श्री शर्मा ने पुस्तकालय खोला।",
            "नया पुस्तकालय राजेश शर्मा ने खोला।",
            "शर्मा जी निदेशक हैं।",
        ],
        [
            "पुस्तकालय लखनऊ में है।",
            "निदेशक राजेश वर्मा हैं।",
            "निदेशक सुरेश शर्मा हैं।",
            "श्री गुप्ता ने पुस्तकालय खोला।",
        ],
    ),
    "he": (
        "מנהל המוזיאון יוסי כהן פתח בחיפה תערוכה חדשה של רות לוי.",
        [
            "התערוכה נפתחה בחיפה.",
            "מר כהן מנהל את המוזיאון.",
            "רות לוי מציגה תערוכה.",
            "המנהל הוא יוסי כהן.",
            "כן, המוזיאון נמצא בעיר חיפה.",
        ],
        [
            "התערוכה נפתחה באשדוד.",
            "המנהל הוא יוסי כץ.",
            "התערוכה היא של רות ברק.",
            "מר אברמוב מנהל את המוזיאון.",
        ],
    ),
    "th": (
        "นายสมชาย ใจดี ผู้อำนวยการเปิดห้องสมุดที่จังหวัดเชียงใหม่เมื่อปี 2562",
        [
            "ผู้อำนวยการคือนายสมชาย ใจดี",
            "ห้องสมุดอยู่ที่เชียงใหม่",
            "คุณสมชายเป็นผู้อำนวยการ",
        ],
        [
            "ผู้อำนวยการคือนายสมชาย ใจงาม",
            "ผู้อำนวยการคือนายสมศักดิ์ ใจดี",
            "ห้องสมุดอยู่ที่จังหวัดลำปาง",
        ],
    ),
    "zh-Hant": (
        "新任校長林志明於三月到任，學校位於臺南市安平區。",
        [
            "林校長三月到任。",
            "校長是林志明。",
            "學校在臺南。",
            "學校的新校長是林志明。",
        ],
        [
            "校長是林志遠。",
            "校長是陳美玲。",
            "學校在高雄。",
            "王校長三月到任。",
            "學校位於臺南市永康區。",
        ],
    ),
    "zh": (
        "松涛镇卫生院2021年接诊病人九万六千人次，新任院长邵云帆于7月16日到任，承包人唐家骏负责施工，画作《春山》挂在大厅。",
        [
            "邵院长7月到任。",
            "卫生院的新负责人是邵云帆。",
            "施工由唐家骏负责。",
            "大厅里挂着《春山》。",
            "新院长上任后，病人比以前多。",
            "院长是高级专家。",
            "卫生院有专门的医生为病人看病。",
        ],
        [
            "新任院长是邵云舟。",
            "院长是王建国。",
            "施工由唐家俊负责。",
            "大厅里挂着《秋山》。",
            "卫生院在松江镇。",
            "王院长7月到任。",
            "卫生院位于北京。",
            "施工由李明负责。",
        ],
    ),
    "zh-2": (
        "根据合同，甲方张伟应于每月5日前向乙方李静支付租金，房屋位于苏州市平江路12号。",
        [
            "租金由张伟支付给李静。",
            "房屋在平江路。",
            "张先生每月付租金。",
            "每月5日前须付租金。",
            "合同规定了租金的支付时间。",
            "乙方是李静。",
        ],
        [
            "租金由张强支付。",
            "乙方是李静怡。",
            "房屋在杭州。",
            "房屋位于观前路。",
            "刘女士收取租金。",
        ],
    ),
    "ja": (
        "花巻沢リンゴ園は平成3年に五十嵐誠一が開き、京都の料理店「さくら亭」に出荷している。顧問はマリア・ロペス氏。",
        [
            "リンゴ園を開いたのは五十嵐さんです。",
            "五十嵐誠一氏が開園しました。",
            "ロペス氏が顧問を務めています。",
            "京都の「さくら亭」に出荷しています。",
            "出荷先は料理店です。",
            "お客さんに人気のリンゴです。",
            "ジュースも作っています。",
        ],
        [
            "リンゴ園を開いたのは五十嵐誠二です。",
            "リンゴ園を開いたのは田中一郎です。",
            "開いたのは佐藤さんです。",
            "大阪の料理店に出荷しています。",
            "顧問はマリア・ガルシア氏です。",
            "「もみじ亭」に出荷しています。",
        ],
    ),
    "ko": (
        "가람초등학교는 1972년 개교했으며 오하람 교장은 대전에서 체육관 공사비를 설명했다.",
        [
            "공사비를 설명한 사람은 오 교장이다.",
            "교장은 오하람이다.",
            "설명은 대전에서 있었다.",
            "학교의 개교 연도는 1972년이다.",
            "오하람 씨가 설명했다.",
        ],
        [
            "교장은 오하늘이다.",
            "교장은 김민수이다.",
            "설명은 부산에서 있었다.",
            "박 교장이 설명했다.",
            "이수진 교장이 설명했다.",
        ],
    ),
    "ar": (
        "أنتجت مزرعة تل الورد العسل، وقال مديرها جابر السالمي إن معرض إربد سيقام في أيلول.",
        [
            "مدير المزرعة هو جابر السالمي.",
            "السالمي هو المدير.",
            "يقام المعرض في إربد.",
            "المزرعة تنتج العسل.",
            "قال السيد السالمي إن المعرض سيقام في الخريف.",
        ],
        [
            "مدير المزرعة هو جابر السويدي.",
            "مدير المزرعة هو سامر السالمي.",
            "يقام المعرض في دمشق.",
            "قال الدكتور العمري إن المعرض سيقام.",
        ],
    ),
    "en": (
        (
            "Peters met John Marian in Sept. 3 talks at Asia House; "
            "Austrian officials of the Iraqi mission came."
        ),
        [
            "Peter's talks were with John Marian.",
            "Officials from Austria came.",
            "Talks at Asia House were held.",
            "Officials from Iraq came.",
            "Decisions of officials came.",
        ],
        [
            "Peterson met John Marian.",
            "Peters met John Mariana.",
            "Peters met Johnson.",
        ],
    ),
}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(text, sentence, id=f"{language}-{sentence}")
        for language, (text, right, _) in TEXTS.items()
        for sentence in right
    ],
)
def test_a_name_is_found_in_every_form(text, sentence):
    assert missing_names(sentence, text) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(text, sentence, id=f"{language}-{sentence}")
        for language, (text, _, wrong) in TEXTS.items()
        for sentence in wrong
    ],
)
def test_another_name_is_missing(text, sentence):
    assert missing_names(sentence, text)


@pytest.mark.parametrize(
    ("sentence", "text", "known", "missing"),
    [
        ("花園を開いたのは山科澄男です。", "花園を開いたのは山科澄江である。", ["山科澄江"], True),
        ("院长到了苏家屯区。", "院长到任。", ["苏家屯区"], True),
        ("המנהל הוא בועז כץ.", "המנהל הוא בועז כהן.", ["בועז כהן"], True),
        ("预算减少了。", "预算下降了。", ["预算"], False),
    ],
)
def test_what_is_known_as_a_name_is_one(sentence, text, known, missing):
    assert bool(missing_names(sentence, text, known=known)) is missing
