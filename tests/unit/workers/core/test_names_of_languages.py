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
    "en joined": (
        "The lease of unit 7 begins on 15 July 1994.",
        ["The tenants of Unit Seven came in mid-July.", "The post-war lease begins in mid-July."],
        ["The lease is of post-Brexit years.", "The tenants of Magnificent Seven came."],
    ),
    "id money": (
        "Koperasi Nelayan Teluk Bayangan meraih laba Rp275 juta pada tahun 2022.",
        ["Laba koperasi pada 2022 mencapai Rp275.000.000, naik dari tahun sebelumnya."],
        ["Laba koperasi pada 2022 mencapai nilai Merpati BK117."],
    ),
    "it centuries": (
        "Il faro di Capo Verzino fu acceso il 1º giugno 1898.",
        ["Il faro è della fine dell'Ottocento."],
        ["Il faro è della fine dell'Ottocentini."],
    ),
    "de over en": (
        "Quarley Vineyard, owned by Augusta Penhallow, bottled 36,000 bottles on 9 October 2020.",
        ["Das war am 9.10.2020."],
        ["Das war Pennington."],
    ),
    "sv over fi": (
        "Sahayhtiö Mäntykoski myi vuonna 2018 yhteensä 32 000 kuutiometriä puutavaraa.",
        ["Sågverksbolaget Mäntykoski sålde virke 2018."],
        ["Sågverksbolaget Mäntyharju sålde virke 2018."],
    ),
    "ar place": (
        "وافتتح المدير نجيب الطرابيشي في 2021 فرع الرميلة الذي يضم خمسة وعشرين موظفا في حي قديم.",
        ["يقع الفرع الجديد في الرميلة.", "يقع الفرع في المدينة.", "يقع الفرع الجديد في الحي."],
        ["يقع الفرع الجديد في الرصيفة."],
    ),
    "th village": (
        "เวทีที่บ้านหนองเรือสร้างโดยสมชาย วงศ์ทอง เมื่อปีที่แล้ว",
        ["เวทีอยู่ที่บ้านหนองเรือ", "เวทีสร้างโดยสมชาย วงศ์ทอง", "สมชาย วงศ์ทองสร้างเวที", "บ้านบางหลังใหม่"],
        ["เวทีอยู่ที่บ้านหนองแวง", "เวทีสร้างโดยสมชาย วงศ์สวัสดิ์"],
    ),
    "ja katakana": (
        "花崗岩はヘストヴィクの石切場から運ばれた。管理は株式会社ミナトスイムとの契約による。コンピューターの部屋もある。",
        [
            "ヘストヴィクの石切場から花崗岩が運ばれてきました。",
            "契約の相手は株式会社ミナトスイムである。",
            "コンピュータの部屋もある。",
            "3メートルの石切場がある。",
        ],
        ["花崗岩はベルゲンの石切場から運ばれてきました。", "契約の相手は株式会社ミナミスイムである。"],
    ),
    "zh foundation": (
        "社區廚房每月補助2萬5千元，由興禾基金會提供。",
        ["補助由興禾基金會提供。", "補助由基金會提供。"],
        ["補助由興和基金會提供。", "補助由明德基金會提供。"],
    ),
    "fi grades": (
        (
            "Johtaja Ahti Lumivirta avasi Pitkäjoella varaston, jonka Pekka Rinne ja Irma Hietakangas "
            "rakensivat Lahteen; Kauppilammen saha myi sen Markus Aallolle."
        ),
        [
            "Lumivirran johtama saha avasi varaston.",
            "Varasto on Pitkäjoki nimisessä kylässä.",
            "Varasto rakennettiin Lahdessa.",
            "Rinteen varasto on valmis.",
            "Hietakankaan varasto on valmis.",
            "Varaston osti Markus Aalto.",
            "Varasto on Markuksen.",
            "Saha oli Kauppilampi nimeltään.",
            "Varasto oli Pekan.",
        ],
        [
            "Lumivuoren johtama saha avasi varaston.",
            "Varasto on Pitkäjärvellä.",
            "Varasto rakennettiin Lapissa.",
            "Varaston rakensi Rinta.",
            "Hietalan varasto on valmis.",
            "Varaston osti Markus Aaltonen.",
            "Varasto on Markkasen.",
            "Saha oli Kauppilammio.",
            "Varaston rakensi Pekkala.",
        ],
    ),
    "et": (
        "Direktor Mart Sepp avas Munamäel muuseumi, mille ehitasid Liina Kask ja Jaan Rand.",
        [
            "Sepa muuseum on avatud.",
            "Muuseum asub Munamägi nimelises külas.",
            "Muuseumi ehitas direktor koos Kasega.",
            "Ehitaja oli Ranna sõber.",
        ],
        [
            "Avatud on Kassi muuseum.",
            "Muuseum asub Munajõel.",
            "Muuseumi ehitas direktor koos Kassiga.",
            "Ehitaja oli Raja sõber.",
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
        (
            "松涛镇卫生院2021年接诊病人九万六千人次，"
            "新任院长邵云帆于7月16日到任，承包人唐家骏负责施工，画作《春山》挂在大厅。"
        ),
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
        (
            "花巻沢リンゴ園は平成3年に五十嵐誠一が開き、"
            "京都の料理店「さくら亭」に出荷している。顧問はマリア・ロペス氏。"
        ),
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
    "zh-bakery": (
        "青石镇小学由陶敏校长主持，图书馆馆长韩立群去年捐书三千册，老街茶馆的老板叫贺小满。",
        [
            "校长是陶敏。",
            "韩馆长捐了书。",
            "茶馆老板名叫贺小满。",
            "捐书的人是韩立群。",
            "贺小满经营一家茶馆。",
            "陶校长主持学校的工作。",
        ],
        [
            "校长是陶洁。",
            "韩立新捐了书。",
            "茶馆老板名叫贺小梅。",
            "捐书的人是周海燕。",
            "学校位于青山镇。",
            "孙校长主持工作。",
            "学校在成都。",
        ],
    ),
    "zh-Hant-bakery": (
        "臺中市大里區的麵包店由蔡佩珊經營，店長是郭建宏，作品《海風》得獎。",
        [
            "店長郭建宏得過獎。",
            "蔡小姐經營麵包店。",
            "麵包店在臺中。",
            "得獎的作品是《海風》。",
        ],
        [
            "店長是郭建良。",
            "店由吳淑芬經營。",
            "麵包店在新竹。",
            "得獎的作品是《山風》。",
        ],
    ),
    "ja-bakery": (
        (
            "山梨県のワイナリーは平岡雅人社長が経営し、"
            "醸造責任者は外山真由美である。新商品「星の露」は好評だ。"
        ),
        [
            "社長は平岡さんです。",
            "ワイナリーは山梨にあります。",
            "外山真由美さんが醸造を担当しています。",
            "「星の露」は人気があります。",
            "経営者は平岡雅人氏だ。",
        ],
        [
            "社長は平岡雅也です。",
            "ワイナリーは長野にあります。",
            "醸造責任者は外山真理子です。",
            "「月の露」は人気があります。",
            "経営者は渡辺さんです。",
            "醸造責任者は小林健太です。",
        ],
    ),
    "ko-bakery": (
        "전주의 한옥 카페는 윤서영 대표가 운영하고, 주방장은 백승호 씨다.",
        [
            "카페 대표는 윤서영이다.",
            "윤 대표가 카페를 운영한다.",
            "주방장은 백승호이다.",
            "카페는 전주에 있다.",
            "백승호 씨가 요리를 맡는다.",
        ],
        [
            "카페 대표는 윤서진이다.",
            "최 대표가 카페를 운영한다.",
            "주방장은 백승우이다.",
            "카페는 광주에 있다.",
            "대표는 정다은입니다.",
        ],
    ),
    "ar-bakery": (
        "يدير المخبز في نابلس السيد رائد الشامي، وتعمل فيه المحاسبة هدى النجار.",
        [
            "رائد الشامي هو مدير المخبز.",
            "السيد الشامي يدير المخبز.",
            "المحاسبة هي هدى النجار.",
            "المخبز في مدينة نابلس.",
        ],
        [
            "رائد الحلبي هو مدير المخبز.",
            "السيد الخالدي يدير المخبز.",
            "المحاسبة هي هدى المصري.",
            "المخبز في مدينة الخليل.",
        ],
    ),
    "he-bakery": (
        "בית הקפה בחיפה שייך לגברת דנה פרידמן, והשף הוא איתן ביטון.",
        [
            "השף הוא איתן ביטון.",
            "בעלת המקום היא דנה פרידמן.",
            "גברת פרידמן מנהלת את בית הקפה.",
            "בית הקפה נמצא בחיפה.",
        ],
        [
            "השף הוא איתן מזרחי.",
            "בעלת המקום היא דנה פישר.",
            "בית הקפה נמצא בנתניה.",
            "השף הוא גיל ביטון.",
        ],
    ),
    "hi-bakery": (
        "आगरा की दुकान के मालिक सुनील अग्रवाल हैं और लेखाकार मीना जोशी हैं।",
        [
            "दुकान के मालिक सुनील अग्रवाल हैं।",
            "श्री अग्रवाल दुकान चलाते हैं।",
            "दुकान आगरा में है।",
            "मीना जोशी लेखाकार हैं।",
        ],
        [
            "दुकान के मालिक सुनील गुप्ता हैं।",
            "दुकान मेरठ में है।",
            "मीना तिवारी लेखाकार हैं।",
            "दुकान के मालिक अनिल अग्रवाल हैं।",
        ],
    ),
    "th-bakery": (
        "ร้านกาแฟในจังหวัดลำปางเป็นของนางสาวมาลี ศรีสุข และนายวิชัย ทองดี เป็นผู้จัดการ",
        [
            "ร้านเป็นของคุณมาลี ศรีสุข",
            "ผู้จัดการคือนายวิชัย ทองดี",
            "ร้านกาแฟอยู่ที่ลำปาง",
        ],
        [
            "ร้านเป็นของนางสาวมาลัย ศรีสุข",
            "ผู้จัดการคือนายวิชัย ทองคำ",
            "ร้านกาแฟอยู่ที่จังหวัดพะเยา",
        ],
    ),
    "de-bakery": (
        (
            "Die Gärtnerei Lindenhof in Wittlich gehört Frau Roswitha Kessler; ihr Nachbar "
            "Egon Tiedemann liefert Kompost."
        ),
        [
            "Inhaberin der Gärtnerei ist Roswitha Kessler.",
            "Kompost kommt vom Nachbarn Tiedemann.",
            "Die Gärtnerei befindet sich in Wittlich.",
            "Kesslers Betrieb bezieht den Dünger aus der Nachbarschaft.",
            "Herr Tiedemann beliefert den Betrieb mit Kompost.",
            "In Wittlich steht die Gärtnerei von Frau Kessler.",
            "Über die Zahl der Angestellten sagt der Text nichts.",
        ],
        [
            "Inhaberin ist Roswitha Kestner.",
            "Kompost liefert Egon Tietze.",
            "Die Gärtnerei befindet sich in Bernkastel.",
            "Inhaberin ist Frau Brandt.",
            "Der Nachbar heißt Kurt Tiedemann.",
        ],
    ),
    "fr-bakery": (
        (
            "La boulangerie de Quimper appartient à Yannick Le Goff ; l'ancienne patronne, "
            "Odile d'Arbois, est partie à l'Alma."
        ),
        [
            "Yannick Le Goff possède la boulangerie.",
            "M. Le Goff est boulanger à Quimper.",
            "L'ancienne patronne s'appelle d'Arbois.",
            "D'Arbois a quitté Quimper.",
            "Autrefois, Odile d'Arbois était la patronne.",
        ],
        [
            "Yannick Le Gall possède la boulangerie.",
            "La boulangerie est à Brest.",
            "L'ancienne patronne s'appelle Odile d'Artois.",
        ],
    ),
    "es-bakery": (
        (
            "La panadería de Zamora pertenece a Eugenia Ballesteros "
            "y la lleva su hijo Ramiro desde el siglo XX."
        ),
        [
            "Ballesteros es la dueña de la panadería.",
            "El hijo de la señora Ballesteros se llama Ramiro.",
            "Desde el siglo XX la lleva Ramiro.",
            "También trabaja allí su hijo.",
        ],
        [
            "Eugenia Ballester es la dueña.",
            "La panadería está en Toro.",
            "La lleva su hijo Rodrigo.",
        ],
    ),
    "it-bakery": (
        "La panetteria di Lucca appartiene a Fiorenza Baldini; l'impasto è di Oreste Galli.",
        [
            "Baldini è la proprietaria.",
            "Il signor Galli prepara l'impasto.",
            "A Lucca c'è la panetteria di Fiorenza Baldini.",
            "Nella panetteria lavora Oreste Galli.",
        ],
        [
            "Fiorenza Balducci è la proprietaria.",
            "La panetteria è a Pisa.",
            "Oreste Gallo prepara l'impasto.",
        ],
    ),
    "pt-bakery": (
        "A padaria de Évora pertence a Leonor Queirós e o padeiro é Tiago Fonseca.",
        [
            "O padeiro chama-se Tiago Fonseca.",
            "A dona é a senhora Queirós.",
            "Em Évora há uma padaria de Leonor Queirós.",
        ],
        [
            "O padeiro chama-se Tiago Fontes.",
            "A padaria fica em Beja.",
            "A dona é Leonor Queiroga.",
        ],
    ),
    "nl-bakery": (
        "De bakkerij in Zwolle is van Hendrika Boersma; bakker Joost Wieringa werkt er.",
        [
            "Boersma is de eigenares.",
            "Wieringa's brood komt uit Zwolle.",
            "In Zwolle werkt bakker Joost Wieringa.",
            "Er werkt ook een bakker.",
        ],
        [
            "De bakkerij is van Hendrika Boerema.",
            "De bakkerij staat in Assen.",
            "Joost Wierda werkt er.",
        ],
    ),
    "ru-bakery": (
        "Пекарней в Суздале владеет Тамара Беликова, а хлеб печёт Степан Чернов.",
        [
            "Владелица пекарни — Тамара Беликова.",
            "Хлеб печёт Чернов.",
            "Пекарня Тамары Беликовой находится в Суздале.",
            "Суздаль известен пекарней.",
            "Печёт его Степан Чернов.",
            "Со Степаном Черновым работает владелица.",
        ],
        [
            "Владелица пекарни — Тамара Белова.",
            "Хлеб печёт Степан Черных.",
            "Пекарня находится в Коломне.",
            "Хлеб печёт Семён Чернов.",
        ],
    ),
    "uk-bakery": (
        "Пекарнею у Полтаві володіє Ганна Шевчук, а хліб пече Тарас Бойко.",
        [
            "Власниця пекарні — Ганна Шевчук.",
            "Полтава має пекарню Ганни Шевчук.",
            "Хліб пече Бойко.",
        ],
        [
            "Власниця — Ганна Шевченко.",
            "Пекарня у Луцьку.",
            "Хліб пече Тарас Бондар.",
        ],
    ),
    "pl-bakery": (
        "Piekarnia w Toruniu należy do Grażyny Zielińskiej, a chleb piecze Marek Wrona.",
        [
            "Właścicielką jest Grażyna Zielińska.",
            "Toruń ma piekarnię Grażyny Zielińskiej.",
            "Chleb piecze pan Wrona.",
            "Marka Wronę zna całe miasto.",
        ],
        [
            "Właścicielką jest Grażyna Zielonka.",
            "Piekarnia jest w Bydgoszczy.",
            "Chleb piecze Marek Wroński.",
        ],
    ),
    "cs-bakery": (
        "Pekárna v Olomouci patří Daně Horákové a chléb peče Luboš Zeman.",
        [
            "Majitelkou je Dana Horáková.",
            "Olomouc má pekárnu Dany Horákové.",
            "Chléb peče Zeman.",
        ],
        [
            "Majitelkou je Dana Horáčková.",
            "Pekárna je v Ostravě.",
            "Chléb peče Luboš Zelenka.",
        ],
    ),
    "tr-bakery": (
        "Bursa'daki fırın Gülseren Aksoy'a ait, ekmeği Cemal Doğan yapıyor.",
        [
            "Fırının sahibi Gülseren Aksoy'dur.",
            "Bursa'da bir fırın var.",
            "Ekmeği Cemal Bey yapıyor.",
            "Aksoy'un fırını Bursa'dadır.",
        ],
        [
            "Fırının sahibi Gülseren Aksu'dur.",
            "Fırın Konya'dadır.",
            "Ekmeği Cemal Demir yapıyor.",
        ],
    ),
    "fi-bakery": (
        "Leipomo Porvoossa kuuluu Kaarina Lehtoselle, ja leivän leipoo Eero Salmi.",
        [
            "Leipomon omistaa Kaarina Lehtonen.",
            "Leipomo sijaitsee Porvoossa.",
            "Porvoo tunnetaan leipomosta.",
            "Leivän leipoo Salmi.",
        ],
        [
            "Leipomon omistaa Kaarina Lehtinen.",
            "Leipomo sijaitsee Kotkassa.",
            "Leivän leipoo Eero Saari.",
        ],
    ),
    "hu-bakery": (
        "Az egri pékség Halmos Erzsébeté, a kenyeret Bakos Gergely süti Egerben.",
        [
            "A pékség tulajdonosa Halmos Erzsébet.",
            "A kenyeret Bakos Gergely süti.",
            "Halmos Erzsébetnek van egy péksége.",
        ],
        [
            "A pékség tulajdonosa Halász Erzsébet.",
            "A pékség Szegeden van.",
            "A kenyeret Balogh Gergely süti.",
        ],
    ),
    "el-bakery": (
        "Ο φούρνος στον Βόλο ανήκει στη Δέσποινα Ρήγα και το ψωμί φτιάχνει ο Στέλιος Κόκκινος.",
        [
            "Η Δέσποινα Ρήγα έχει φούρνο στον Βόλο.",
            "Ο Βόλος έχει τον φούρνο της κυρίας Ρήγα.",
            "Το ψωμί του Στέλιου Κόκκινου είναι καλό.",
        ],
        [
            "Ο φούρνος ανήκει στη Δέσποινα Ράλλη.",
            "Ο φούρνος είναι στη Λαμία.",
            "Το ψωμί φτιάχνει ο Στέλιος Κόκκορης.",
        ],
    ),
    "vi-bakery": (
        "Tiệm bánh ở Đà Lạt của bà Phạm Thị Hoa, thợ bánh là anh Lê Quang Vinh.",
        [
            "Tiệm bánh của bà Hoa ở Đà Lạt.",
            "Thợ bánh là Lê Quang Vinh.",
            "Anh Vinh làm bánh.",
        ],
        [
            "Tiệm bánh ở Nha Trang.",
            "Thợ bánh là Lê Quang Minh.",
            "Tiệm bánh của bà Phạm Thị Hòa.",
        ],
    ),
    "id-bakery": (
        "Toko roti di Malang milik Ibu Kartika Lestari, tukang rotinya Bambang Wijaya.",
        [
            "Pemilik toko roti adalah Kartika Lestari.",
            "Bapak Bambang membuat roti.",
            "Di Malang ada toko roti.",
        ],
        [
            "Pemilik toko roti adalah Kartika Permata.",
            "Toko roti itu di Solo.",
            "Tukang rotinya Bambang Wibowo.",
        ],
    ),
    "sv-bakery": (
        "Bageriet i Visby ägs av Ingegerd Almqvist, och brödet bakas av Sixten Hedlund.",
        [
            "Ägaren heter Ingegerd Almqvist.",
            "Almqvists bageri ligger i Visby.",
            "Enligt texten bakar Hedlund brödet.",
        ],
        [
            "Ägaren heter Ingegerd Almgren.",
            "Bageriet ligger i Kalmar.",
            "Brödet bakas av Sixten Hedberg.",
        ],
    ),
    "zh-hall": (
        "2018年，建筑师魏晓东为桐城设计了音乐厅，指挥家罗文涛在落成典礼上演出，主办方是华音文化公司。",
        [
            "音乐厅由魏晓东设计。",
            "罗文涛在典礼上演出。",
            "设计音乐厅的是建筑师魏晓东。",
            "主办方是一家文化公司。",
            "魏先生是建筑师。",
        ],
        [
            "音乐厅由魏晓明设计。",
            "设计者是建筑师沈一鸣。",
            "演出的指挥家是罗文斌。",
            "主办方是天韵文化公司。",
        ],
    ),
    "ja-hall": (
        "2018年、建築家の桑田隆志は那珂市に音楽堂を設計し、指揮者の滝沢恵子が落成式で演奏した。",
        [
            "音楽堂を設計したのは桑田隆志です。",
            "落成式では滝沢さんが演奏しました。",
            "音楽堂は那珂市にあります。",
            "建築家は桑田氏である。",
        ],
        [
            "音楽堂を設計したのは桑田隆夫です。",
            "落成式では滝沢恵美さんが演奏しました。",
            "音楽堂は水戸市にあります。",
            "建築家は安藤氏である。",
        ],
    ),
    "ko-hall": (
        "2018년 건축가 마동철은 안성에 음악당을 설계했고 지휘자 피은주가 준공식에서 연주했다.",
        [
            "음악당을 설계한 사람은 마동철이다.",
            "지휘자는 피은주이다.",
            "음악당은 안성에 있다.",
        ],
        [
            "음악당을 설계한 사람은 마동석이다.",
            "지휘자는 피은정이다.",
            "음악당은 여수에 있다.",
            "건축가는 송재훈이다.",
        ],
    ),
    "ar-hall": (
        "صمم المهندس طارق البيطار قاعة الموسيقى في حمص عام 2018، وقادت الحفل سلمى العطار.",
        [
            "المهندس هو طارق البيطار.",
            "قاعة الموسيقى في حمص.",
            "قادت سلمى العطار حفل الافتتاح.",
        ],
        [
            "المهندس هو طارق الحداد.",
            "قاعة الموسيقى في حلب.",
            "قادت الحفل سلمى القاسم.",
        ],
    ),
    "de-hall": (
        (
            "Der Architekt Volker Amrhein entwarf 2018 die Musikhalle in Lauterbach; zur "
            "Eröffnung dirigierte Ute Schönfeld."
        ),
        [
            "Entworfen wurde die Halle vom Architekten Amrhein.",
            "Am Pult stand bei der Eröffnung Ute Schönfeld.",
            "Die Halle in Lauterbach wurde 2018 entworfen.",
            "Das Gebäude stammt von Volker Amrhein.",
            "Zur Einweihung gab es ein Konzert unter der Leitung von Frau Schönfeld.",
            "Über Kosten und Größe des Saals steht hier nichts.",
        ],
        [
            "Entworfen wurde die Halle vom Architekten Volker Amberg.",
            "Bei der Eröffnung dirigierte Ute Schönherr.",
            "Die Halle steht in Fulda.",
            "Dirigentin war Helga Schönfeld.",
        ],
    ),
    "ru-hall": (
        (
            "Архитектор Глеб Воронцов спроектировал в 2018 году концертный зал в Вологде; на "
            "открытии дирижировала Инна Лапина."
        ),
        [
            "Зал спроектирован Глебом Воронцовым.",
            "Вологда получила концертный зал.",
            "На открытии играли под управлением Инны Лапиной.",
            "Дирижёром была Лапина.",
            "Проект принадлежит Воронцову.",
        ],
        [
            "Зал спроектирован Глебом Воробьёвым.",
            "Зал построен в Костроме.",
            "Дирижировала Инна Лаптева.",
            "Архитектор — Олег Воронцов.",
        ],
    ),
    "pl-hall": (
        (
            "Architekt Wojciech Madej zaprojektował w 2018 roku salę koncertową w Rzeszowie, "
            "a na otwarciu dyrygowała Iwona Pawlak."
        ),
        [
            "Salę zaprojektował Madej.",
            "Rzeszów ma salę koncertową.",
            "Orkiestrą na otwarciu kierowała Iwona Pawlak.",
            "Projekt Wojciecha Madeja powstał w 2018 roku.",
        ],
        [
            "Salę zaprojektował Wojciech Majer.",
            "Sala jest w Lublinie.",
            "Dyrygowała Iwona Pawłowska.",
        ],
    ),
    "tr-hall": (
        (
            "Mimar Serkan Akbulut 2018'de Eskişehir'de bir konser salonu tasarladı; açılışta "
            "orkestrayı Defne Karaca yönetti."
        ),
        [
            "Salonu Serkan Akbulut tasarladı.",
            "Eskişehir'in bir konser salonu var.",
            "Açılışta orkestranın başında Karaca vardı.",
            "Mimarın adı Serkan Akbulut'tur.",
        ],
        [
            "Salonu Serkan Akbaş tasarladı.",
            "Salon Sivas'tadır.",
            "Orkestrayı Defne Karaman yönetti.",
        ],
    ),
    "es-hall": (
        (
            "El arquitecto Hilario Zubiaurre proyectó en 2018 el auditorio de Calatayud; lo "
            "inauguró la directora Pilar Montaner."
        ),
        [
            "El auditorio es obra de Zubiaurre.",
            "Proyectado por Hilario Zubiaurre, el auditorio está en Calatayud.",
            "Dirigió la orquesta Pilar Montaner.",
            "Don Hilario proyectó el auditorio.",
        ],
        [
            "El auditorio es obra de Hilario Zubiri.",
            "El auditorio está en Teruel.",
            "Lo inauguró Pilar Montalvo.",
        ],
    ),
    "hi-hall": (
        "वास्तुकार नवीन सक्सेना ने 2018 में वाराणसी में सभागार बनाया।",
        [
            "सभागार नवीन सक्सेना ने बनाया।",
            "सभागार वाराणसी में है।",
            "वास्तुकार का नाम नवीन सक्सेना है।",
        ],
        [
            "सभागार पटना में है।",
            "वास्तुकार का नाम नवीन मल्होत्रा है।",
        ],
    ),
    "de-subject": (
        "Gerda Stolz schrieb 2019, der Umbau koste 40.000 Euro. Heino Quast kaufte die Orgel.",
        [
            "Im Jahr 2019 schrieb Stolz über den Umbau.",
            "Die Orgel kaufte Quast im Herbst.",
            "Der Umbau hatte Vorrang und erforderte Anstrengungen.",
            "Danach spielte Zeit keine Rolle.",
            "Er äußerte Zweifel an den Kosten.",
            "Der Umbau fand Anklang und weckte Neugier im Ort.",
        ],
        ["Den Umbau beschrieb Kuhnt im Jahr 2019.", "Die Orgel kaufte Fink im Herbst."],
    ),
    "first-before-name": (
        "Kantorin Gerda Stolz übernahm den Chor. Das Konzert gab Heino Quast.",
        ["Choirmaster Gerda Stolz leads the choir.", "Organist Heino Quast gave a concert."],
        ["Martha Gerda Stolz leads the choir.", "Choirmaster Gerda Stoll leads the choir."],
    ),
    "first-before-firm": (
        "Die Merkur Bank wurde 1990 gegründet, die Ostsee Werft 1991. Karl Weber kaufte sie 1995.",
        ["Unternehmer kauften sie 1995.", "Direktor Karl Weber kaufte sie."],
        [
            "Hamburg Merkur Bank wurde 1990 gegründet.",
            "Londoner Merkur Bank wurde 1990 gegründet.",
            "Siemens Karl Weber kaufte sie.",
            "Paris Karl Weber kaufte sie.",
            "Nestlé Karl Weber übernahm.",
            "Volkswagen Ostsee Werft baute es.",
        ],
    ),
    "first-before-person": (
        "Karl Weber, an actor, bought the mill. Adam Kovar resigned.",
        ["Actor Karl Weber bought the mill.", "Chairman Adam Kovar resigned."],
        [
            "Texas Karl Weber bought the mill.",
            "Siemens Karl Weber bought the mill.",
            "Zbynek Adam Kovar resigned.",
        ],
    ),
    "pl-first": (
        "Jan Kowalski wygrał konkurs.",
        ["Architekt Jan Kowalski wygrał konkurs."],
        ["Kraków Jan Kowalski wygrał."],
    ),
    "ru-first": (
        "Галина Лебедева вступила в союз, а Егор Чайка подарил ему картину.",
        ["Вступление Галины Лебедевой описано.", "Подарок Егора Чайки — картина."],
        ["Марина Галина Лебедева вступила в союз.", "Подарок Егора Чайкина — картина."],
    ),
    "pl-nasal": (
        "Roman Dąb i Jan Gołąb kupili młyn.",
        ["Młyn Romana Dęba działa.", "Kupno z Janem Gołębiem udało się."],
        ["Młyn Romana Demba działa.", "Kupno z Janem Gołdą udało się."],
    ),
    "pl-no-nasal": (
        "Klub prowadzi Anna Rada, a sklep Ewa Brzega.",
        ["Sklep Ewy Brzegi jest nowy."],
        ["Klub prowadzi Anna Reda.", "Sklep prowadzi Ewa Brzaga."],
    ),
    "uk-short": (
        "Степан Гай відкрив музей.",
        ["Музей Степана Гая відкрито.", "Степану Гаю вдалося."],
        ["Музей Степана Гука відкрито."],
    ),
    "fi-foreign": (
        "Aulikki Vesterholm johtaa sahaa Bergvikissa.",
        ["Vesterholmin mukaan saha kasvoi.", "Saha on Vesterholmilla.", "Bergvik on sahan paikka."],
        ["Vesterlundin mukaan saha kasvoi.", "Bergnäs on sahan paikka."],
    ),
    "vi-stop-words": (
        "Ông Lê Văn So mua thuyền của bà Trần Thị At ở chợ.",
        ["Ông So mua thuyền.", "Thuyền là của bà At."],
        ["Ông Lê Văn To mua thuyền.", "Thuyền là của bà Trần Thị In."],
    ),
}

# Firms, institutions and titles: a text, what may be said of it, and what may not.
TEXTS |= {
    "zh-firm": (
        "新大楼由宏远建设集团承建，资金来自东岭银行，海川大学附属医院将于明年迁入。",
        [
            "宏远集团的负责人代表公司签字。",
            "市民喜欢医院的新大楼。",
            "他后来加入公司，又离开医院。",
            "工程师参观大学以后感谢银行。",
            "病人住进医院，学生走进学校。",
            "他们起诉公司，法院支持银行。",
            "双方公司都同意。",
            "董事会决定出售公司。",
            "居民反对关闭医院。",
            "大楼由宏远集团承建。",
            "承建新大楼的是宏远建设集团有限公司。",
            "这家建筑公司负责新大楼。",
            "东岭银行提供了资金。",
            "这家医院明年搬迁。",
            "该银行为这个项目出资。",
            "一家大型建设集团承建了大楼。",
            "海川大学的附属医院明年会搬进新大楼。",
            "公司没有说明造价。",
            "它不是一所小学校，而是大学医院。",
            "医院属于大学，资金由商业银行提供。",
            "一家民营公司负责施工。",
        ],
        [
            "新大楼由启明建设集团承建。",
            "新大楼由宏达建设集团承建。",
            "新大楼由启明公司承建。",
            "资金来自西塘银行。",
            "金河银行为大楼提供了资金。",
            "迁入大楼的是明德大学附属医院。",
            "新大楼由中铁电力承建，由启航集团管理。",
            "承建单位是龙腾建筑有限公司。",
        ],
    ),
    "zh-Hant-firm": (
        "鐵橋由永豐建設公司興建，貸款出自台海銀行，仁愛醫院捐了一筆錢。",
        [
            "負責人代表公司捐款。",
            "他後來加入公司，又離開醫院。",
            "工人參觀學校以後感謝銀行。",
            "病人住進醫院，董事會決定出售公司。",
            "永豐公司興建了鐵橋。",
            "永豐建設股份有限公司蓋了這座橋。",
            "這家銀行提供貸款。",
            "那家醫院也捐了錢。",
            "興建鐵橋的是一家建設公司。",
        ],
        [
            "興建鐵橋的公司是錦水建設公司。",
            "鐵橋由宏盛建設公司興建。",
            "鐵橋由永泰建設公司興建。",
            "貸款出自華南銀行。",
            "捐錢的是慈恩醫院。",
            "捐錢的是松柏中學。",
        ],
    ),
    "ja-firm": (
        "三日月鉱山は東和金属が開き、北浜銀行が融資した。若草病院も近くに建てられた。",
        [
            "今年、銀行が融資した。",
            "市立病院が同年建てられた。",
            "翌年病院が建った。",
            "国内銀行の一つが融資した。",
            "鉱山を開いたのは東和金属です。",
            "東和金属株式会社が鉱山を開いた。",
            "株式会社東和金属が開発しました。",
            "融資したのは地元銀行ではなく北浜銀行です。",
            "銀行が融資し、病院も建った。",
            "民間企業が金属を掘り、大手銀行が資金を出した。",
            "病院は近くにある総合病院です。",
            "金属会社が三日月鉱山を開発した。",
        ],
        [
            "大島銀行が融資した。",
            "三井病院が近くに建てられた。",
            "若宮金属が鉱山を開いた。",
            "鉱山を開いたのは東亜金属です。",
            "鉱山を開いたのは丸山金属です。",
            "三日月鉱山は旭光鉱業が開いた。",
            "鉱山は朝日商事が開いた。",
            "南浦銀行が融資した。",
            "近くに青葉病院が建てられた。",
            "融資したのは株式会社白石です。",
            "鉱山を開いたのはタカラ金属です。",
        ],
    ),
    "ko-firm": (
        "새 도서관은 한빛건설이 지었고 동해은행이 자금을 댔으며 가람병원이 옆에 있다.",
        [
            "도서관을 지은 곳은 한빛건설입니다.",
            "동해은행은 자금을 댔다.",
            "이 건설회사가 도서관을 지었다.",
            "병원이 도서관 옆에 있습니다.",
            "종합병원인 가람병원이 가깝다.",
            "지역은행이 자금을 댔다.",
        ],
        [
            "도서관을 지은 곳은 청우건설입니다.",
            "한별건설이 새 도서관을 지었다.",
            "자금은 서해은행이 댔다.",
            "도서관은 대륙전자가 지었다.",
            "옆에는 누리병원이 있다.",
        ],
    ),
    "th-firm": (
        (
            "สายการบินซื้อเครื่องบินจากบริษัทไทยเวหาเมื่อปีที่แล้ว คุณพิมพ์ชนก ศรีวราลักษณ์ ลงนาม "
            "และโรงเรียนบ้านหนองบัวได้รับทุน ส่วนโรงพยาบาลพระอาทิตย์ได้เครื่องมือ"
        ),
        [
            "เครื่องบินซื้อจากบริษัทไทยเวหา",
            "บริษัทไทยเวหาขายเครื่องบิน",
            "บริษัท ไทยเวหา จำกัด ขายเครื่องบิน",
            "คุณพิมพ์ชนกลงนามในสัญญา",
            "คุณพิมพ์ชนก เป็นผู้ลงนาม",
            "โรงเรียนได้รับทุนจากสายการบิน",
            "โรงเรียนแห่งนี้ได้รับทุน",
            "บริษัทดังกล่าวขายเครื่องบิน",
            "บริษัทนี้มีลูกค้า",
            "โรงพยาบาลพระอาทิตย์มีเครื่องมือใหม่",
            "โรงพยาบาลได้เครื่องมือ",
            "โรงเรียนบ้านหนองบัวมีทุน",
            "บริษัทเป็นผู้ขาย",
            "ผู้อำนวยการโรงเรียนกล่าวขอบคุณ",
        ],
        [
            "เครื่องบินซื้อจากบริษัทไทยนภา",
            "เครื่องบินซื้อจากบริษัทสยามวิหค",
            "บริษัท รุ่งเรืองกิจ จำกัด ขายเครื่องบิน",
            "คุณพิมพ์พิชชาลงนาม",
            "คุณพิมพ์พิชชา ศรีวราลักษณ์ ลงนาม",
            "โรงเรียนบ้านดอนแก้วได้รับทุน",
            "โรงเรียนวัฒนาได้รับทุน",
            "โรงพยาบาลพระจันทร์ได้เครื่องมือ",
        ],
    ),
    "ar-firm": (
        "بنت شركة الرافد الجناح الجديد في مستشفى وادي السنديان بتمويل من بنك الساحل.",
        [
            "شركة الرافد هي التي بنت الجناح.",
            "بنت الشركة الجناح الجديد.",
            "مدير المستشفى شكر الشركة.",
            "المستشفى فيه جناح جديد بنته شركة الرافد.",
            "هذه شركة البناء التي بنت الجناح.",
            "قدم البنك التمويل.",
            "هي شركة محلية بنت الجناح.",
            "شركة بناء كبيرة بنت الجناح.",
            "جاء التمويل من بنك الساحل.",
            "وفي مستشفى وادي السنديان جناح جديد.",
        ],
        [
            "بنت الجناح شركة الفرات.",
            "بنت شركة دجلة الجناح.",
            "جاء التمويل من بنك الجزيرة.",
            "الجناح في مستشفى النخيل.",
            "بنت الشركة الجناح في جامعة الزيتونة.",
        ],
    ),
    "he-firm": (
        "את האגף שיפצה חברת אלון בנייה, והמימון הגיע מבנק הגליל. בית ספר ארזים תרם ספרים.",
        [
            "חברת אלון בנייה שיפצה את האגף.",
            "חברת הבנייה שיפצה את האגף.",
            "חברת בנייה שיפצה את האגף.",
            "המימון הגיע מהבנק.",
            "בית הספר תרם ספרים.",
            "בית ספר אחד תרם ספרים.",
            "זה בית ספר יסודי שתרם ספרים.",
            "בנק הגליל מימן את האגף.",
            "החברה שיפצה את האגף.",
        ],
        [
            "חברת אורן בנייה שיפצה את האגף.",
            "את האגף שיפצה חברת תמנע.",
            "המימון הגיע מבנק כרמל.",
            "בית ספר דקלים תרם ספרים.",
        ],
    ),
    "hi-firm": (
        "गंगोत्री बैंक ने नवदीप विद्यालय को दान दिया और हिमगिरि कंपनी ने रामगढ़ में भवन बनाया।",
        [
            "गंगोत्री बैंक ने दान दिया।",
            "बैंक ने विद्यालय को दान दिया।",
            "एक निजी कंपनी ने भवन बनाया।",
            "उस विद्यालय को दान मिला।",
            "भवन रामगढ़ में है।",
            "हिमगिरि कंपनी ने भवन बनाया।",
            "एक बड़े बैंक ने विद्यालय की मदद की।",
            "दान से विद्यालय को लाभ हुआ।",
        ],
        [
            "यमुनोत्री बैंक ने दान दिया।",
            "दान शिवालिक विद्यालय को मिला।",
            "नीलगिरि कंपनी ने भवन बनाया।",
            "भवन सोनगढ़ में बना।",
            "भवन बिलासपुर में बना।",
            "भवन मुरादाबाद में है।",
            "भवन शांतिनगर में बना।",
        ],
    ),
    "de-firm": (
        "Die Klinik in Grimma wurde von der Ostermann Bau errichtet; die Merkur Bank gab Kredit.",
        [
            "Errichtet wurde die Klinik von der Ostermann Bau.",
            "Die Ostermann Bau GmbH errichtete die Klinik in Grimma.",
            "Den Kredit gab die Merkur Bank AG.",
            "Der Bau der Klinik wurde mit Krediten bezahlt.",
            "Die Bank gab in mehreren Raten Kredit.",
            "Die Leitung Bau lag bei der Firma.",
            "In Gebäuden wie diesem werden Kranke versorgt.",
            "Das Geld kam in Raten und in Teilen.",
            "Die Abteilung Bau der Firma war beteiligt.",
            "Nach Angaben der Klinik wurde in Schichten gearbeitet.",
        ],
        [
            "Errichtet wurde die Klinik von der Osterkamp Bau.",
            "Lindner Bau errichtete die Klinik.",
            "Die Lindner Bau errichtete die Klinik.",
            "Die Klinik errichtete die Seidel Bau.",
            "Den Kredit gab die Saturn Bank.",
            "Der Winkler Verlag gab Kredit.",
            "Die Klinik steht in Wurzen.",
            "Die Klinik steht in Schwerin.",
            "Die Klinik in Zeitz wurde von der Ostermann Bau errichtet.",
            "Die Klinik in Fürstenwalde gab Kredit.",
            "Die Firma kommt aus Templin.",
        ],
    ),
    "es-title": (
        "La doctora Inés Valcárcel dirige el hospital que construyó Obras Tejada, y Hugo Sanz lo diseñó.",
        [
            "La Dra. Valcárcel dirige el hospital.",
            "El Ing. Hugo Sanz lo diseñó.",
            "El Arq. Sanz lo diseñó.",
            "Lo construyó Obras Tejada, S.A.",
            "Lo construyó Obras Tejada S.L. para la Prof.ª Valcárcel.",
            "La Profa. Inés Valcárcel lo dirige.",
        ],
        [
            "La Dra. Valverde dirige el hospital.",
            "Lo construyó Obras Molina, S.A.",
            "El Ing. Saura lo diseñó.",
        ],
    ),
    "pt-title": (
        "A engenheira Marta Quintela projetou a ponte que a Construtora Valongo ergueu.",
        [
            "O Eng.º Marta Quintela projetou a ponte.",
            "A Eng.ª Marta Quintela projetou a ponte.",
            "A Eng. Quintela projetou a ponte.",
            "A Construtora Valongo Lda. ergueu a ponte.",
            "A Prof.ª Quintela projetou a ponte.",
            "A Dra. Quintela projetou a ponte.",
            "A Construtora Valongo, S.A., ergueu a ponte.",
        ],
        ["A Eng.ª Quintanilha projetou a ponte.", "A Construtora Valbom Lda. ergueu a ponte."],
    ),
    "it-title": (
        "La professoressa Livia Ghedini ha aperto il laboratorio costruito dalla Marchesan.",
        [
            "La Prof.ssa Ghedini ha aperto il laboratorio.",
            "La Dott.ssa Livia Ghedini ha aperto il laboratorio.",
            "L'Ing. Ghedini ha aperto il laboratorio.",
            "Il laboratorio fu costruito dalla Marchesan S.p.A. per la ricerca.",
            "Il laboratorio fu costruito dalla Marchesan Srl per la ricerca.",
        ],
        ["La Prof.ssa Ghezzi ha aperto il laboratorio.", "Lo ha costruito la Marchetti S.p.A. in un anno."],
    ),
    "de-title": (
        "Die Leiterin Verena Kaltenbrunn eröffnete das Werk der Firma Hofstetter Metall.",
        [
            "Mag. Verena Kaltenbrunn eröffnete das Werk.",
            "Dipl.-Ing. Kaltenbrunn leitet das Werk.",
            "Mag.a Kaltenbrunn leitet das Werk.",
            "Dr.in Kaltenbrunn leitet das Werk.",
            "Das Werk gehört der Hofstetter Metall AG.",
            "Das Werk gehört der Hofstetter Metall GmbH & Co. KG.",
        ],
        ["Mag. Kaltenegger eröffnete das Werk.", "Das Werk gehört der Hofbauer Metall AG."],
    ),
    "pl-cases": (
        "Doktor Bronisława Zawierucha mieszka w mieście Praga, a Jadwiga i Paweł Sroka są z miasta Łomża.",
        [
            "Doktor Zawierusze wręczono klucze.",
            "Klucze oddano Zawierusze.",
            "Bronisława mieszka w Pradze od lat.",
            "Dr Zawierucha mieszka w Pradze.",
            "Mówiono o Pawle oraz o Jadwidze.",
            "Klucze dano Jadwidze Sroce.",
            "Firma Sroka Sp. z o.o. jest z miasta.",
            "Inż. Paweł Sroka jest z miasta Łomża.",
            "Mgr Jadwiga Sroka jest w Łomży.",
        ],
        [
            "Klucze oddano Zawieruszyńskiej.",
            "Mówiono o Pradnicy.",
            "Mówiono o Jadwinie Sroce.",
            "Klucze dano Marcie Sroce.",
        ],
    ),
    "cs-cases": (
        "Olga Průchová z města Praha a Věra Straka napsaly knihu.",
        [
            "Kniha vznikla v Praze.",
            "Knihu o Olze a o Strace napsaly ženy.",
            "Dali jí knihu, Olze Průchové.",
            "Ing. Olga Průchová napsala knihu.",
            "Mgr. Straka napsala knihu.",
        ],
        ["Kniha vznikla v Plzni.", "Dali knihu Oldřišce Průchové."],
    ),
    "uk-cases": (
        "Ольга Савка працює у місті Прага, а завод «Вільха» будує ТОВ «Обрій».",
        [
            "Ольга Савка була у Празі.",
            "Нагороду вручили Ользі Савці.",
            "Ольга Савка працює у Празі.",
            "Завод будує «Обрій».",
            "Будує завод ТОВ «Обрій».",
        ],
        ["Нагороду вручили Олені Савці.", "Ольга Савка працює у Полтаві.", "Завод будує ТОВ «Овид»."],
    ),
    "ru-cases": (
        "Завод построило общество «Вектор», директор Ольга Гуляка живёт в Праге.",
        ["ООО «Вектор» построило завод.", "Завод построило АО «Вектор».", "О Гуляке и о Праге пишут."],
        ["ООО «Сектор-М» построило завод.", "Завод построило АО «Спектр»."],
    ),
    "tr-firm": (
        "Köprüyü Yıldıran İnşaat yaptı; mühendis Sevgi Aktuna denetledi.",
        [
            "Köprüyü Yıldıran İnşaat A.Ş. yaptı.",
            "Köprüyü Yıldıran İnşaat Ltd. Şti. yaptı.",
            "Doç. Dr. Sevgi Aktuna denetledi.",
            "Müh. Sevgi Aktuna köprüyü denetledi.",
        ],
        ["Köprüyü Karaman İnşaat A.Ş. yaptı.", "Doç. Dr. Sevgi Akbulut denetledi."],
    ),
}
TEXTS |= {
    "zh-other-firm": (
        "青禾科技与白桦医院合作，工程由天衡建工集团完成，校方是育英中学。",
        [
            "合作方是白桦医院和一家科技公司。",
            "育英中学是校方，工程已完成。",
            "医院与青禾合作开发系统。",
        ],
        [
            "合作方是白杨医院。",
            "青岚科技参与合作。",
            "工程由天衡建工完成，校方是明德中学。",
            "工程由龙江集团完成。",
        ],
    ),
    "zh-Hant-other-firm": (
        "藍鵲航空委託玉山製藥生產口罩，並由海濱大學檢驗。",
        [
            "航空公司委託藥廠生產口罩。",
            "海濱大學負責檢驗口罩。",
        ],
        [
            "藍鯨航空委託生產口罩。",
            "由河濱大學檢驗。",
            "檢驗的是青山醫院。",
        ],
    ),
    "ja-other-firm": (
        "霞ヶ浦電力は真鍋建設に工事を発注し、若葉高校の生徒が見学した。",
        [
            "電力会社が建設会社に発注した。",
            "若葉高校の生徒が工事を見学した。",
            "見学したのは高校生だ。",
        ],
        [
            "真田建設が工事を受けた。",
            "双葉高校の生徒が見学した。",
            "工事は岩城電力が発注した。",
            "工事を受けたのは大和組の大倉建設だ。",
        ],
    ),
    "ko-other-firm": (
        "새롬건설이 짓는 다리는 누리은행이 돈을 대고 한솔중학교 옆에 있다.",
        [
            "다리는 중학교 옆에 있다.",
            "건설회사와 은행이 함께 한다.",
        ],
        [
            "다리는 새한건설이 짓는다.",
            "다리는 해솔중학교 옆에 있다.",
            "돈은 우람은행이 댔다.",
        ],
    ),
    "th-other-firm": (
        "โรงเรียนพฤกษาวิทย์ทำสัญญากับบริษัทฟ้าใสก่อสร้าง โดยคุณธนวัฒน์ สายชล เป็นผู้อำนวยการ",
        [
            "โรงเรียนทำสัญญากับบริษัทก่อสร้าง",
            "คุณธนวัฒน์เป็นผู้อำนวยการโรงเรียน",
        ],
        [
            "โรงเรียนพฤกษ์ไพรทำสัญญา",
            "บริษัทฟ้าครามก่อสร้างอาคาร",
            "คุณธนากรเป็นผู้อำนวยการ",
        ],
    ),
    "ar-other-firm": (
        "افتتح مصرف الواحة فرعا قرب مستشفى السلامة، وأشرفت المهندسة رنا الخطيب من شركة البنيان.",
        [
            "افتتح المصرف فرعا قرب المستشفى.",
            "المهندسة رنا الخطيب تعمل في شركة البنيان.",
            "قالت المهندسة الخطيب إن المصرف افتتح فرعا.",
        ],
        [
            "افتتح مصرف الأمان فرعا.",
            "الفرع قرب مستشفى الشفاء.",
            "المهندسة تعمل في شركة الإعمار.",
            "أشرفت المهندسة لمياء الخطيب على الفرع.",
        ],
    ),
    "he-other-firm": (
        "בית ספר הדרים בנתניה קיבל תרומה מחברת סייפן, אמר המנהל אלון פרידמן.",
        [
            "התרומה לבית הספר הגיעה מחברת סייפן.",
            "המנהל אלון פרידמן דיבר על התרומה.",
        ],
        [
            "התרומה הגיעה מחברת רותם.",
            "בית ספר אלומות קיבל תרומה.",
            "המנהל אורן פרידמן דיבר על התרומה.",
            "המנהל יגאל פרידמן דיבר על התרומה.",
        ],
    ),
    "hi-other-firm": (
        "नवजीवन अस्पताल ने विजयगढ़ में शाखा खोली, जिसके लिए अरावली बैंक ने ऋण दिया।",
        [
            "अस्पताल की शाखा विजयगढ़ में है।",
            "ऋण बैंक से मिला।",
        ],
        [
            "शाखा देवगढ़ में खुली।",
            "विंध्य बैंक ने ऋण दिया।",
            "जनकल्याण अस्पताल ने शाखा खोली।",
        ],
    ),
    "de-other-firm": (
        (
            "Die Adler Reederei aus Husum kaufte 2021 "
            "ein Schiff von der Nordhaus Werft; Kapitänin Silke Boysen fährt es."
        ),
        [
            "Die Reederei kaufte ein Schiff von der Werft.",
            "Die Adler Reederei GmbH sitzt in Husum.",
            "Das Schiff liegt in Docks und in Häfen.",
        ],
        [
            "Die Falke Reederei kaufte ein Schiff.",
            "Das Schiff kam von der Südhaus Werft.",
            "Die Reederei sitzt in Cuxhaven.",
            "Die Reederei sitzt in Emden.",
        ],
    ),
    "pl-other-firm": (
        "Spółka Granix z Gdyni zatrudnia inżynier Olgę Mucha; projekt powstał w Haga.",
        [
            "Inż. Oldze Musze powierzono projekt.",
            "Granix S.A. działa w Gdyni.",
            "Projekt powstał w Hadze.",
        ],
        [
            "Inż. Oldze Mroczek powierzono projekt.",
            "Grafix S.A. działa w Gdyni.",
        ],
    ),
}

# A text, and sentences of its language in other words that name nothing.
PLAIN = {
    "zh": (
        "松涛镇卫生院2021年接诊病人九万六千人次，新任院长邵云帆于7月16日到任。",
        """
        医院的收入比去年增加了一成。
        他是高级工程师，负责设备维护。
        该县城区的道路正在整修。
        经理表示对结果满意。
        合同由双方代表签字后生效。
        他担任会长以来，会员人数翻了一番。
        学校位于市区的西边。
        主任说将在下周公布名单。
        病人来自附近的乡镇。
        他叫医生来看病。
        全部费用由保险公司支付。
        院长为员工发放了奖金。
        老师和学生都参加了活动。
        作者在书中讨论了“自由”的含义。
        该项目由国家出资，于去年完成。
        书记和镇长出席了开幕式。
        队长任期为三年。
        为了方便居民，中心延长了开放时间。
        代表们认为方案可行。
        厂长是从外地调来的。
        这座桥是石头建成的。
        他向经理提出辞职。
        董事会任命了新的总经理。
        乙方应于每月支付租金。
        市长江边的公园已经开放。
        女士们先生们感谢大家。
        会计师事务所出具了报告。
        平均温度比往年高。
        """,
    ),
    "ja": (
        "潮見町図書館は令和元年に12万4千冊を貸し出した。館長の三宅千尋は新館を開いた。",
        """
        貸出冊数は前年より増えました。
        館長は新しい建物を開きました。
        利用者の皆さんに喜ばれています。
        市長さんも式典に出席しました。
        工事は地元の会社が行いました。
        子どもたちのための部屋があります。
        職員は五人です。
        図書館は駅から歩いて十分です。
        寄付は全国から集まりました。
        館内には喫茶店もあります。
        責任者は館長です。
        予算は議会で承認されました。
        お医者さんが講演しました。
        校長先生が挨拶しました。
        費用の半分は補助金です。
        担当者は女性だ。
        会長が代わった理由は健康問題である。
        大工さんが棚を作りました。
        読書会は毎月開かれます。
        コンピューターとソフトウェアが新しくなりました。
        場所は中央公園の東側です。
        学生が多く訪れる。
        開館時間は午前九時から午後六時まで。
        受付で申し込む必要がある。
        """,
    ),
    "ko": (
        "은솔도서관은 2019년에 책 3만 5천 권을 빌려주었다. 남궁지환 관장은 새 건물을 열었다.",
        """
        관장은 도서관을 새로 열었다.
        책임자는 관장이다.
        이것은 지난해보다 많은 수이다.
        학생들이 많이 찾는 곳은 열람실이다.
        건물은 정류장 옆에 있다.
        비용의 절반은 정부가 냈다.
        주민들은 결과에 만족했다.
        도서관에는 강의실도 있다.
        담당자는 공무원이다.
        이사장은 회의에 참석하지 않았다.
        감독은 영화를 만들었다.
        원장이 직접 설명했다.
        이 사업은 시장이 추진했다.
        선생님은 학생을 가르친다.
        대표는 기자회견을 열었다.
        그 사람은 유명하다.
        주인은 고양이를 키운다.
        정문 앞에 주차장이 있다.
        이름은 공모전으로 정했다.
        한 교사가 제안했다.
        박물관 옆에 있다.
        최종 결과는 내일 나온다.
        문 교체 비용이 들었다.
        """,
    ),
    "ar": (
        "أعارت مكتبة وادي الزيتون 13500 كتاب في عام 2019. افتتحت مديرتها سهام الخطيب قاعة القراءة.",
        """
        زاد عدد الكتب المعارة عن العام السابق.
        المديرة افتتحت القاعة الجديدة.
        رئيس المجلس شكر الحاضرين.
        المكتبة مفتوحة كل يوم.
        هو أكبر مشروع في المنطقة.
        قال المدير إن العمل سيستمر.
        السيدة التي تدير المكتبة تعمل منذ سنوات.
        صاحب الفكرة كان معلما.
        كلف الترميم مبلغا كبيرا.
        هذه الكتب للأطفال والشباب.
        نعم، تم افتتاح القاعة.
        مدير جديد سيتولى العمل قريبا.
        وزير الثقافة حضر الحفل.
        الشيخ الكبير ألقى كلمة.
        هي امرأة نشيطة ومحبوبة.
        أكدت سهام أن القاعة واسعة.
        قالت سهام إنها سعيدة.
        """,
    ),
    "he": (
        "ספריית גבעת אלון השאילה 12,500 ספרים בשנת 2019. המנהלת תמר אורבך פתחה את אולם הקריאה.",
        """
        מספר הספרים עלה לעומת השנה הקודמת.
        המנהלת פתחה אולם חדש.
        הוא פרויקט גדול מאוד.
        ראש העיר הגיע לטקס.
        מנהל חדש ייכנס לתפקיד.
        היא הודתה לכל המשתתפים.
        תמר הודתה לכולם.
        הספרייה פתוחה בכל יום.
        השופט קבע כי החוזה תקף.
        בעל הבית דרש תשלום.
        המורה לימדה את הילדים.
        """,
    ),
    "hi": (
        "पुस्तकालय की प्रबंधक सुलोचना पाठक ने 2020 में वाचनालय खोला।",
        """
        पुस्तकों की संख्या बढ़ गई।
        प्रबंधक ने नया कक्ष खोला।
        अध्यक्ष महोदय ने धन्यवाद दिया।
        यह एक बड़ी परियोजना है।
        सुलोचना ने बच्चों को पढ़ाया।
        मंत्री ने समारोह में भाग लिया।
        मुखिया ने गाँव के लोगों को बुलाया।
        संस्थापक का नाम पुस्तकालय से जुड़ा है।
        हाँ, वाचनालय खुल गया है।
        लेखक और शिक्षक दोनों उपस्थित थे।
        शांति और विकास के लिए काम हुआ।
        आशा है कि काम जल्दी पूरा होगा।
        आनंद के साथ लोगों ने स्वागत किया।
        """,
    ),
    "th": (
        ("ห้องสมุดบ้านหนองบัวให้ยืมหนังสือ 12,800 เล่มในปี 2562 ผู้อำนวยการพรทิพย์ แสงอรุณ เปิดห้องอ่านหนังสือ"),
        """
        จำนวนหนังสือเพิ่มขึ้นจากปีก่อน
        ผู้อำนวยการเปิดห้องใหม่
        คุณภาพของหนังสือดีมาก
        ครูสอนเด็กทุกวัน
        ประชาชนในจังหวัดนี้พอใจ
        ผู้จัดการกล่าวว่าโครงการสำเร็จ
        ห้องสมุดเปิดทุกวัน ยกเว้นวันอาทิตย์
        นายกรัฐมนตรีมาเปิดงาน
        คุณครูใจดีกับเด็ก
        นางพยาบาลดูแลผู้ป่วย
        อำเภอใกล้เคียงได้รับประโยชน์
        """,
    ),
    "ru": (
        "Заведующая Лариса Мещерякова открыла читальный зал в 2020 году.",
        """
        Книг стало больше, чем годом раньше.
        Открытие зала прошло успешно.
        Библиотека работает ежедневно.
        Ремонт обошёлся недёшево.
        Всего выдано несколько тысяч книг.
        Читатели довольны новым залом.
        Жители района получили новый зал.
        Зал открыт благодаря заведующей.
        Именно Мещерякова открыла зал.
        Руководит библиотекой Мещерякова.
        Основное здание отремонтировали.
        """,
    ),
    "tr": (
        "Müdür Nurhan Tekindağ okuma salonunu 2020 yılında açtı.",
        """
        Kitap sayısı geçen yıla göre arttı.
        Salonu müdür açtı.
        Onarım çok pahalıydı.
        Kütüphane her gün açıktır.
        Okurlar yeni salondan memnun.
        Açılışa birçok kişi katıldı.
        Yeni bina Tekindağ tarafından açıldı.
        """,
    ),
    "pl": (
        "Kierowniczka Halina Wolańska otworzyła czytelnię w 2020 roku.",
        """
        Liczba książek wzrosła w porównaniu z rokiem poprzednim.
        Czytelnię otwarto uroczyście.
        Remont był kosztowny.
        Biblioteka działa codziennie.
        Mieszkańcy są zadowoleni.
        Otwarcia dokonała Wolańska.
        Kierowała nią Wolańska.
        """,
    ),
    "es": (
        "La directora Remedios Iturralde abrió el museo en 2020.",
        """
        Aumentó el número de visitantes.
        Visitaron el museo muchas personas.
        Abrió sus puertas en 2020.
        Dirige el museo Iturralde.
        Cabe destacar la labor de Iturralde.
        Actualmente el museo está abierto.
        Comprar entradas es fácil.
        """,
    ),
    "fr": (
        "La directrice Solène Kerguidan a ouvert la bibliothèque en 2020.",
        """
        Ouverte en 2020, la bibliothèque a du succès.
        Grâce à Solène Kerguidan, elle est ouverte.
        Dirigée par Kerguidan, elle accueille des lecteurs.
        Chacun peut emprunter des livres.
        Madame Kerguidan la dirige.
        """,
    ),
    "de": (
        "Seine Vorsitzende Liselotte Brandauer kaufte die Festwiese für 2,5 Millionen Euro.",
        """
        Der Kaufpreis lag bei mehreren Millionen.
        Die Festwiese gehört nun dem Verein.
        Brandauer erwarb das Grundstück im Namen des Vereins.
        Das Geld kam aus Spenden und aus Rücklagen.
        Für die Mitglieder war der Kauf ein Erfolg.
        Zum Preis von 2,5 Millionen Euro ging die Wiese an den Verein.
        Den Vertrag unterschrieb die Vorsitzende vor einem Notar.
        Wie hoch die Nebenkosten waren, sagt der Text nicht.
        Nach Angaben des Vereins ist der Boden gut.
        Insgesamt kamen Tausende Besucher.
        Eigentümer der Wiese ist der Verein.
        """,
    ),
    "fi": (
        "Johtaja Marjatta Hietakangas avasi lukusalin vuonna 2020.",
        """
        Kirjojen määrä kasvoi.
        Lukusali avattiin keväällä.
        Kirjasto on auki joka päivä.
        Salin avasi Hietakangas.
        Remontti oli kallis.
        """,
    ),
    "hu": (
        "Szalontai Piroska igazgató 2020-ban nyitotta meg az olvasótermet.",
        """
        Nőtt a könyvek száma.
        Megnyílt az olvasóterem.
        Felújították az épületet.
        Az igazgató neve Szalontai Piroska.
        Szalontai nyitotta meg.
        """,
    ),
    "id": (
        "Kepala perpustakaan Retno Wulandari membuka ruang baca pada tahun 2020.",
        """
        Jumlah buku bertambah.
        Ruang baca dibuka oleh kepala perpustakaan.
        Renovasi menelan biaya besar.
        Pengunjung merasa senang.
        Perpustakaan dipimpin Retno Wulandari.
        """,
    ),
}


# Firms and institutions told of by common words.
PLAIN |= {
    "zh-works": (
        (
            "宏远集团去年在东岭市修建了新厂，"
            "东岭银行贷款三亿元，院长林晓霞说海川医院收治了四千名患者，学校也得到了捐款。"
        ),
        """
        去年公司盈利不多，银行态度谨慎。
        项目得到银行贷款，医院因此扩建。
        当年企业向商业银行借款。
        患者都送往医院治疗。
        这笔钱来自银行。
        集团旗下公司参与建设。
        两家银行都没有回应。
        政府补贴公司，鼓励企业发展。
        很多病人选择医院附近的酒店。
        学生们喜欢学校的图书馆。
        据说该公司总部位于东岭。
        工人组成公司，自己管理。
        上述银行发放了贷款。
        负责施工的建筑公司没有透露造价。
        院长同时兼任大学教授。
        林晓霞毕业后进入医院工作。
        除了医院，学校也收到捐款。
        新建学校将于明年开学。
        她曾就读医科大学。
        该市有多所小学。
        捐款使学校受益。
        合同规定公司承担费用。
        贷款用于建设工厂而不是酒店。
        医生说医院床位紧张。
        林院长感谢社会各界和爱心公司。
        东岭最大的民营集团投资建厂。
        这座图书馆由大学出资。
        消息人士称公司将裁员。
        市民批评银行手续费太高。
        没有任何公司投标。
        旧址改成了酒店。
        当局要求公司赔偿。
        """,
    ),
    "ja-works": (
        (
            "若狭造船は神崎銀行の融資で工場を建て、"
            "橘病院の院長は患者四千人を受け入れたと述べた。若狭市の学校も寄付を受けた。"
        ),
        """
        融資元は地方銀行である。
        造船会社が工場を新設した。
        患者を受け入れた病院は市内にある。
        近隣住民は小学校に寄付した。
        同病院の院長が述べた。
        寄付金は学校に渡された。
        当該病院には四千人が入院した。
        その後、銀行は追加融資した。
        県内企業では若狭造船が最大だ。
        救急病院として知られる。
        地域医療を支える病院だ。
        複数銀行が協調融資した。
        公立学校も対象だった。
        大学病院ではない。
        老舗旅館ではなく病院である。
        工業高校の生徒が見学した。
        """,
    ),
    "ko-works": (
        (
            "다온전자는 동해은행의 융자로 공장을 지었고 가람병원 원장은 환자 사천 명을 받았다고 말했다. "
            "학교도 기부를 받았다."
        ),
        """
        융자를 해 준 곳은 은행이다.
        대기업이 아니라 중소기업이다.
        지역 병원이 환자를 받았다.
        응급병원으로 알려져 있다.
        초등학교가 기부를 받았다.
        그 회사는 은행에서 돈을 빌렸다.
        환자들은 병원에서 치료받았다.
        민간병원 원장이 말했다.
        이 전자회사는 공장을 지었다.
        """,
    ),
    "th-works": (
        ("ธนาคารทองพฤกษ์ให้บริษัทไทยเวหากู้เงินสร้างโรงงาน และโรงพยาบาลริมธารรับผู้ป่วยสี่พันคน โรงเรียนได้รับบริจาค"),
        """
        ธนาคารอนุมัติเงินกู้แก่บริษัท
        บริษัทกู้เงินจากธนาคาร
        โรงพยาบาลรักษาผู้ป่วยสี่พันคน
        โรงเรียนรัฐบาลได้รับบริจาค
        ธนาคารพาณิชย์ให้กู้
        บริษัทผู้กู้สร้างโรงงาน
        โรงพยาบาลแห่งหนึ่งรับผู้ป่วย
        บริษัทการบินสร้างโรงงาน
        ผู้ป่วยเข้ารักษาที่โรงพยาบาลริมธาร
        โรงเรียนหลายแห่งได้รับบริจาค
        บริษัทก่อตั้งโรงงานด้วยเงินกู้
        ธนาคารปล่อยกู้ให้ไทยเวหา
        บริษัทลูกของไทยเวหาสร้างโรงงาน
        โรงพยาบาลต้องการเตียง
        โรงพยาบาลสามารถรับผู้ป่วย
        บริษัทวางแผนสร้างโรงงาน
        ธนาคารตกลงให้กู้
        โรงเรียนนำเงินไปใช้
        บริษัทประสบความสำเร็จ
        บริษัทหนึ่งกู้เงิน
        โรงพยาบาลยินดีรับผู้ป่วย
        ธนาคารเห็นชอบเงินกู้
        บริษัทคืนเงินกู้
        โรงเรียนกลายเป็นที่รู้จัก
        """,
    ),
    "ar-works": (
        (
            "وقعت جامعة الياسمين عقدا مع مصرف النورس لبناء مكتبة، "
            "وقال مدير مستشفى الأرز إن شركة المنارة ستنفذه."
        ),
        """
        وقعت الجامعة عقدا مع مصرف خاص.
        جامعة الياسمين هي صاحبة العقد.
        نفذت شركة خاصة المشروع.
        هي جامعة عريقة تبني مكتبة.
        شركة المقاولات ستنفذ العقد.
        مدير المستشفى تحدث عن شركة المنارة.
        المستشفى ليس طرفا في العقد.
        اتفقت جامعة الياسمين ومصرف النورس على البناء.
        تعاونت شركة كبرى مع مصرف محلي.
        في مستشفى الأرز مدير واحد.
        أكد مستشفى الأرز أن الشركة ستنفذ العقد.
        هذه مدرسة ابتدائية حكومية.
        كل شركة لها مدير.
        أي مصرف وقع العقد؟ مصرف النورس.
        وافقت شركة المنارة أمس على العقد.
        شركة المنارة شركة معروفة.
        """,
    ),
    "he-works": (
        "אוניברסיטת תבור חתמה על הסכם עם בנק ארגמן, ומנהל בית חולים שקמה אמר שחברת נחשון תקים ספרייה.",
        """
        חברת קבלנות תקים את הספרייה.
        החברה תקים ספרייה באוניברסיטה.
        בנק ארגמן חתם עם אוניברסיטת תבור.
        בנק פרטי חתם על ההסכם.
        בית החולים אינו צד להסכם.
        בית חולים גדול תמך בהקמה.
        חברת הבנייה נחשון תקים את הספרייה.
        לפי מנהל בית חולים שקמה הספרייה תוקם.
        זוהי חברת נדל"ן ותיקה.
        היא חתמה עם בנק גדול.
        חברת נחשון תבנה ספרייה חדשה.
        בבנק אומרים שההסכם נחתם.
        """,
    ),
    "hi-works": (
        "सूर्योदय बैंक ने माधोपुर के अमृत अस्पताल को ऋण दिया और शिवम कंपनी ने नया विद्यालय बनाया।",
        """
        अस्पताल ने बैंक से ऋण लिया।
        ऋण देने वाला बैंक सूर्योदय है।
        मरीज अस्पताल में भर्ती हुए।
        गाँव में कंपनी ने विद्यालय बनवाया।
        इस निर्माण कंपनी का नाम शिवम है।
        जनता को अस्पताल से लाभ मिला।
        मशहूर कंपनी ने काम किया।
        उन्होंने बताया कि बैंक ने ऋण दिया।
        माधोपुर में अस्पताल है।
        प्रसिद्ध अस्पताल माधोपुर में है।
        तब बैंक ने ऋण दिया।
        अस्पताल, बैंक और विद्यालय सब माधोपुर में हैं।
        जल्द ही नया विद्यालय बना।
        """,
    ),
    "de-works": (
        (
            "Die Klinik in Grimma wurde 2020 von der Ostermann Bau "
            "errichtet; die Leiterin Ute Krahl dankte den Spendern."
        ),
        """
        In Grimma steht eine Klinik.
        Die Klinik wurde in Etappen gebaut.
        Sie arbeitet in Netzwerken mit Ärzten zusammen.
        In Interviews dankte Krahl den Spendern.
        Das Haus besteht aus Beton.
        In Spenden steckt viel Hoffnung.
        Frau Krahl war in Begleitung.
        Patienten kommen aus Städten und Gemeinden.
        Nach Protesten wurde gebaut.
        Die Kosten wurden in Tranchen bezahlt.
        Die Firma Ostermann Bau arbeitete in Nächten.
        Das Geld liegt in Stiftungen.
        Die Klinik hat in Umfragen gut abgeschnitten.
        Sie wird in Broschüren gelobt.
        Die Räume liegen in Flügeln.
        Auch in Praxen wird behandelt.
        Die Ärzte wohnen in Baracken.
        Man operiert in Sälen.
        Die Pflege erfolgt in Zimmern.
        Die Klinik wurde in Anwesenheit von Ute Krahl eröffnet.
        Der Kredit der Bank war hoch.
        """,
    ),
    "en-works": (
        "Ostermann Ltd. built the clinic in Grimma for Dr. Ute Krahl in 2020.",
        """
        Ostermann built the clinic.
        Ostermann Ltd built it.
        The clinic was built by Ostermann.
        """,
    ),
    "pl-works": (
        "Firma Termobud z Łomży zbudowała szpital dla doktor Ewy Wilk w mieście Ryga.",
        """
        Szpital zbudował Termobud S.A.
        Szpital w Rydze zbudowała firma.
        Doktor Ewie Wilk zbudowano szpital.
        Dr Wilk pracuje w szpitalu.
        Zdaniem Ewy Wilk budowa trwała długo.
        """,
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
        ("כן, שטרנפלד משלם שכר דירה.", "השוכר, נדב שטרנפלד, משלם.", ["נדב שטרנפלד"], False),
        ("预算减少了。", "预算下降了。", ["预算"], False),
        ("黒瀬館長が話した。", "館長の黒瀬伊織が話した。", ["黒瀬伊織"], False),
        ("岩永主任が話した。", "主任の岩永千尋が話した。", ["岩永千尋"], False),
        ("黒沢館長が話した。", "館長の黒瀬伊織が話した。", ["黒瀬伊織"], True),
        ("黒瀬伊代が話した。", "館長の黒瀬伊織が話した。", ["黒瀬伊織"], True),
        ("院長は白峰伊織医師だ。", "院長は黒瀬山伊織医師だ。", ["黒瀬山伊織"], True),
        ("大河原館長が話した。", "黒瀬館長が話した。", ["黒瀬"], True),
        ("委員会館長が話した。", "黒瀬館長が話した。", ["黒瀬"], False),
        ("她从松口搬到了云岭。", "她从白石镇搬到云岭村。", ["白石镇"], True),
        ("她从老家搬到了云岭。", "她从白石镇搬到云岭村。", ["白石镇"], False),
        ("她从松口搬到了云岭。", "在白石镇里。" * 500 + "她从白石镇搬到云岭村。", ["白石镇"], True),
        ("她从石镇搬到了云岭。", "她从白石镇搬到云岭村。", ["白石镇"], False),
        ("音乐会在石门举行。", "音乐会在云溪举行。", ["云溪"], True),
        ("乐团由百里岚指挥。", "乐团由宗政岚指挥。", ["宗政岚"], True),
        ("他抵达云溪。", "他抵达石门，全程很远。", ["石门"], True),
        ("他抵达那里。", "他抵达石门，全程很远。", ["石门"], False),
        ("人数由鲜于静统计。", "鲜于敏统计了人数。", ["鲜于敏"], True),
        ("鲜于说人数不多。", "鲜于敏说，人数很少。", ["鲜于敏"], False),
        ("彼は雲取峠に着いた。", "彼は石門峠に着く。", ["石門峠"], True),
        ("鷲尾会長が報告した。", "鷹野会長によると三百人だった。", ["鷹野"], True),
        ("音乐会于云溪举行。", "音乐会在云溪举行。", ["云溪"], False),
        ("彼は若草ホールで歌った。", "彼は白樺ホールで演奏した。", ["白樺ホール"], True),
        ("彼は大きなホールで歌った。", "彼は白樺ホールで演奏した。", ["白樺ホール"], False),
        ("指揮は雪村先生だ。", "雨宮先生が指揮する。", ["雨宮"], True),
        ("指揮は担任先生だ。", "雨宮先生が指揮する。", ["雨宮"], False),
        ("공연은 바다홀에서 열렸다.", "하늘홀에서 공연했다.", ["하늘홀"], True),
        ("지휘자는 사공민 선생입니다.", "사공민 선생이 지휘한다.", ["사공민"], False),
        ("지휘자는 사공훈 선생입니다.", "사공민 선생이 지휘한다.", ["사공민"], True),
        ("تقود أروى النجار الجوقة.", "تقود أروى الدباغ الجوقة.", ["أروى الدباغ"], True),
        ("تقود أروى الجوقة.", "تقود أروى الدباغ الجوقة.", ["أروى الدباغ"], False),
        ("ครูวิไลอำนวยเพลงมานาน", "ครูวิไลเป็นผู้อำนวยเพลง", ["ครูวิไล"], False),
        ("ครูวิภาอำนวยเพลงมานาน", "ครูวิไลเป็นผู้อำนวยเพลง", ["ครูวิไล"], True),
        ("ลุงร้องเพลงที่บางปลาต่อหน้าคน", "ลุงร้องเพลงที่ท่าม่วงต่อหน้าคน", ["ท่าม่วง"], True),
        ("ครูย้ายมาจากวังน้อยเมื่อปี 2558", "ครูย้ายมาจากดอนขวางเมื่อปี 2558", ["ดอนขวาง"], True),
        ("ครูย้ายมาจากที่อื่นเมื่อปี 2558", "ครูย้ายมาจากดอนขวางเมื่อปี 2558", ["ดอนขวาง"], False),
        ("학교는 은하수 초등학교입니다.", "푸른솔 초등학교 교장이 말했다.", ["푸른솔 초등학교"], True),
        ("학교는 작은 초등학교입니다.", "푸른솔 초등학교 교장이 말했다.", ["푸른솔 초등학교"], False),
        ("سافرت ليلى إلى رفح في مارس.", "سافرت ليلى إلى صفد في مارس 2019.", ["صفد"], True),
        ("سافرت ليلى في مارس إلى صفد.", "سافرت ليلى إلى صفد في مارس 2019.", ["صفد"], False),
        ("سافرت ليلى إلى المدينة في مارس.", "سافرت ليلى إلى صفد في مارس 2019.", ["صفد"], False),
        ("אורי תמרי התקבל לקיבוץ.", "תמר דיווחה. אורי שקדי התקבל לקיבוץ.", ["אורי שקדי"], True),
        ("האבוקדו נקטף בגבעת האלון.", "האבוקדו נקטף בקיבוץ גבעת השקד.", ["קיבוץ גבעת השקד"], True),
        ("خانه را بهروز رستمی خرید.", "بهروز کیانی خانه را خرید.", ["بهروز کیانی"], True),
        ("بهروز خانه‌ای خرید.", "بهروز کیانی خانه را خرید.", ["بهروز کیانی"], False),
        ("खर्च की जानकारी पाटीदार ने दी।", "सुलोचना पाटीदार ने खर्च बताया।", ["सुलोचना पाटीदार"], False),
        ("समिति के अनुसार दूध बिका।", "सूर्यमुखी सहकारी समिति ने दूध बेचा।", ["सूर्यमुखी सहकारी समिति"], False),
    ],
)
def test_what_is_known_as_a_name_is_one(sentence, text, known, missing):
    assert bool(missing_names(sentence, text, known=known)) is missing


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(text, sentence.strip(), id=f"{language}-{sentence.strip()}")
        for language, (text, told) in PLAIN.items()
        for sentence in told.strip().splitlines()
    ],
)
def test_other_words_are_no_names(text, sentence):
    assert missing_names(sentence, text) == []


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("Tausenddreihundertvierzig Personen gehörten zum Verein.", "Der Verein zählte 1.340 Mitglieder."),
        ("Oprava stála 1 600 000 Kč.", "Oprava knihovny stála 1,6 milionu korun."),
        ("Elvatusen sexhundra böcker lånades ut.", "Biblioteket lånade ut 11 600 böcker under 2019."),
    ],
)
def test_words_of_figures_are_no_names(sentence, text):
    assert missing_names(sentence, text) == []
