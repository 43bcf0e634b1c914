"""Words by which languages deny, allow, and join clauses."""

from __future__ import annotations

import re

# By language: words that deny, and words with which a text may deny or not.
_WORDS: dict[str, tuple[str, str]] = {
    "en": (
        r"not|never|no|nobody|none|nothing|neither|cannot|\w+n['’]t",
        r"not only|no (?:less|fewer|more|later|longer|sooner|doubt)|if|unless|until|but|except|without",
    ),
    "de": (
        r"nicht|kein\w*|nie|niemals|niemand\w*|nichts|weder",
        r"nicht (?:nur|mehr|erst|zuletzt|weniger)|sondern|wenn|falls|ob|ohne|außer|bis",
    ),
    "fr": (
        r"pas|jamais|aucun\w*|rien|personne|nul|nulle",
        r"pas (?:seulement|moins|plus)|que|qu['’]\w*|si|sans|mais|sauf|plus",
    ),
    "es": (
        r"no|nunca|jamás|nadie|nada|ningun\w*|ningún|tampoco",
        r"no (?:solo|sólo|menos|más|obstante)|sino|si|sin|pero|salvo|hasta|ya no",
    ),
    "it": (
        r"non|mai|nessun\w*|niente|nulla",
        r"non (?:solo|meno|più|appena)|che|ma|se|senza|fino|finché|bensì",
    ),
    "pt": (
        r"não|nunca|jamais|ninguém|nada|nenhum\w*",
        r"não (?:só|apenas|menos|mais)|senão|mas|se|sem|até|já não",
    ),
    "nl": (
        r"niet|geen|nooit|niemand|niets|nergens",
        r"niet (?:alleen|meer|minder)|geen (?:minder|meer)|maar|als|tenzij|zonder|tot|pas",
    ),
    "sv": (r"inte|ej|aldrig|ingen|inget|inga", r"inte (?:bara|minst)|utan|om|men|förrän"),
    "da": (r"ikke|aldrig|ingen|intet", r"ikke (?:kun|bare|mindst)|men|hvis|uden|før"),
    "no": (r"ikke|aldri|ingen|intet", r"ikke (?:kun|bare|minst)|men|hvis|uten|før"),
    "fi": (
        r"(?:ei|eivät|en|et|emme|ette)(?: ole| ollut)?|eikä|eivätkä|koskaan|kukaan|mitään",
        r"ei (?:vain|ainoastaan)|vaan|mutta|jos|ellei|kunnes|ennen",
    ),
    "cs": (
        r"není|nejsou|nebyl\w*|nemá|nemají|neměl\w*|nikdy|nikdo|nic|žádn\w+|nelze|nesmí",
        r"ne(?:jen|jenom)|nýbrž|ale|pokud|kdyby|bez|dokud|než|kromě",
    ),
    "sk": (
        r"nie|nikdy|nikto|nič|žiadn\w+|nemá|nemajú|nemal\w*|nebol\w*|nesmie",
        r"nie (?:len|iba)|ale|ak|bez|kým|okrem",
    ),
    "pl": (r"nie|nigdy|nikt|nic|żaden|żadn\w+", r"nie (?:tylko|mniej|więcej)|ale|lecz|jeśli|bez|dopóki|aż"),
    "hu": (r"nem|soha|sem|nincs|nincsenek|senki|semmi", r"nem (?:csak|csupán)|hanem|ha|de|nélkül|amíg"),
    "ro": (r"nu|niciodată|nimeni|nimic|nicio|niciun", r"nu (?:numai|doar)|ci|dacă|dar|fără|decât|până"),
    "ru": (
        r"не|нет|никогда|никто|ничего|ни",
        r"не (?:только|менее|более|раз|позднее|ранее)|но|если|без|пока|а|кроме|чуть не|едва не",
    ),
    "uk": (r"не|ні|немає|ніколи|ніхто|нічого", r"не (?:тільки|лише|менше|більше)|але|якщо|без|поки|а|крім"),
    "bg": (r"не|няма|никога|никой|нищо", r"не само|но|ако|без|докато|а|освен"),
    "el": (r"δεν|δε|μη|μην|ποτέ|κανείς|τίποτα|ούτε", r"όχι μόνο|αλλά|αν|χωρίς|παρά|μέχρι"),
    "ar": (r"لا|لم|لن|ليس|ليست|ليسوا|غير", r"ليس فقط|إلا|لكن|بل|إذا|حتى|بدون|دون|سوى"),
    "he": (r"לא|אין|אינו|אינה|אינם|מעולם", r"לא רק|אלא|אם|עד|בלי|ללא|אבל|חוץ"),
    "hi": (r"नहीं|न|मत|कभी नहीं", r"न केवल|सिर्फ|केवल|लेकिन|बल्कि|अगर|यदि|बिना|जब तक"),
    "tr": (r"değil|yok|hiç|hiçbir|asla", r"sadece|yalnızca|ama|fakat|eğer|kadar|aksine"),
    "vi": (r"không|chưa|chẳng|chả", r"không (?:chỉ|những)|mà|nếu|trừ|nhưng|cho đến"),
    "id": (
        r"tidak|bukan|belum|tak|tiada",
        r"tidak (?:hanya|kurang|lebih)|melainkan|tetapi|jika|tanpa|sampai",
    ),
    "ko": (
        r"\S*않\S*|못|\S*못\S*|\S*없\S*|\S*아니\S*|안",
        r"\S*뿐\S*|아니라|\S*밖에|\S*않으면|\S*지만|만약|\S*없이",
    ),
}
NEGATIONS = {
    language: (re.compile(rf"(?<!\S)(?:{denies})(?!\S)"), re.compile(rf"(?<!\S)(?:{unclear})(?!\S)"))
    for language, (denies, unclear) in _WORDS.items()
}
# Of scripts without spaces: what denies, and words that hold such a character or may deny or not.
UNSPACED_NEGATIONS = {
    "zh": (
        re.compile("并没有|並沒有|没有|沒有|并未|並未|从未|從未|不是|并非|並非|没|沒|未|不|无|無"),
        re.compile(
            "不[仅僅但只少过過久断斷同锈鏽足满滿超低论論管得可必到动動止料幸妨利良安]|未[来來满滿必婚]|"
            "[无無][线線论論人机機名]|没收|沒收|非常|除非|如果|若|但|除了|直到|否[认認则則]|拒[绝絕]"
        ),
        re.compile("[了的过過在于於已经經将將把被地得之也都就又还還曾会會其该該这這]"),
    ),
    "ja": (
        re.compile("ませんでした|なかった|ありません|ません|ない|ず(?=に|、|$)"),
        re.compile(
            "だけで|のみなら|ばかりで|しか|かもしれ|違いない|なければ|ざるを|少なくない|が、|ば|ないか"
        ),
        re.compile("[\u3040-\u309f]"),
    ),
    "th": (
        re.compile("ไม่ได้|ไม่มี|ไม่ใช่|ไม่|มิได้|ยังไม่"),
        re.compile("ไม่เพียง|ไม่น้อย|ไม่เกิน|แต่|ถ้า|หาก|เว้นแต่|จนกว่า|ปฏิเสธ"),
        re.compile("ได้|แล้ว|ที่|ของ|ใน|ก็"),
    ),
}
# By language: what says that something exists or that somebody has it.
THERE_IS = {
    language: re.compile(rf"(?<!\w)(?:{verbs})(?!\w)")
    for language, verbs in {
        "en": r"ha(?:s|ve|d)|there (?:is|are|was|were)|with|offer\w*|provid\w*|featur\w*",
        "de": r"ha(?:t|ben|tten?)|gibt|gab|mit|biet\w*|besitz\w*|verfüg\w*|vorhanden",
        "fr": r"a|ont|avait|avaient|avons|y a|avec|propos\w*|dispos\w*|possèd\w*|offr\w*",
        "es": r"ha[yn]|había|tiene|tienen|tenía\w?|con|ofrec\w*|dispon\w*|cuenta|existe\w?",
        "it": r"ha|hanno|aveva\w*|c['’]è|ci sono|c['’]era|con|offr\w*|dispon\w*",
        "pt": r"há|havia|tem|têm|tinha\w?|com|oferec\w*|dispõe\w?|possu\w*|existe\w?",
        "nl": r"heeft|hebben|had|hadden|er (?:is|zijn|was|waren)|met|biedt|beschik\w*",
        "sv": r"har|hade|finns|fanns|med|erbjud\w*",
        "da": r"har|havde|findes|er der|der er|med|tilbyd\w*",
        "no": r"har|hadde|finnes|det er|er det|med|tilby\w*",
        "fi": r"on|ovat|oli|olivat|ole|ollut|löyty\w*|tarjo\w*",
        "pl": r"ma|mają|miał\w*|jest|są|był\w*|posiada\w*|oferuj\w*|z|ze",
        "cs": r"(?:ne)?má|(?:ne)?mají|(?:ne)?měl\w*|je|není|jsou|nejsou|(?:ne)?byl\w*|nabíz\w*|s|se",
        "sk": r"(?:ne)?má|(?:ne)?majú|(?:ne)?mal\w*|je|nie je|sú|(?:ne)?bol\w*|ponúk\w*|s|so",
        "hu": r"van|vannak|volt\w*|nincs\w*|rendelkez\w*|kínál\w*",
        "ro": r"are|au|avea\w?|există|este|sunt|cu|ofer\w*|dispun\w*",
        "ru": r"есть|име\w+|был\w?|был[аои]|с|со|нет|предлага\w+",
        "uk": r"є|ма[єю]\w*|був|бул[аои]|з|із|немає|пропону\w+",
        "bg": r"има\w?|имаше|няма\w?|с|със|предлага\w?",
        "el": r"έχει|έχουν|είχε|είχαν|υπάρχ\w+|υπήρχ\w+|με|διαθέτ\w+|προσφέρ\w+",
        "tr": r"var\w*|yok\w*|bulun\w*|sunu\w*|sahip\w*",
        "vi": r"có|với|cung cấp",
        "id": r"ada|memiliki|mempunyai|terdapat|dengan|menyediakan|punya",
        "hi": r"है|हैं|था|थी|थे",
        "he": r"יש|היה|היו|הייתה|אין",
        "ar": r"يوجد|توجد|هناك|لديه|لديها|يضم|تضم|فيه|فيها",
        "ko": r"\S*있\S*|\S*없\S*",
    }.items()
}
# By language: what denies by its meaning. With such a word a sentence of a quote's words may say the same.
BY_MEANING = {
    language: re.compile(rf"(?<!\w)(?:{words})")
    for language, words in {
        "en": r"lack|fail|refus|reject|declin|deni|deny|miss|absent|absence|without|instead|exclud|avoid|"
        r"ceas|stop|prevent|false|wrong|ask|want|wish|plan|propos|hop|expect|request|demand|likely|would|"
        r"could|should|might|may|whether|extra|separate|un(?:able|paid|sold|likely|known)",
        "de": r"fehl|mangel|verweiger|abgelehnt|lehn|ohne|statt|ausgeschl|ausgenommen|verhinder|falsch|"
        r"plan|woll|soll|würd|könnt|extra|zusätzlich|gesondert|separat|frei von|"
        r"un(?:bezahlt|verkauft|bekannt)",
        "fr": r"manqu|refus|rejet|sans|absence|absent|exclu|faux|fausse|évit|emp[êe]ch|voul|prévo|prévu|"
        r"hors|supplément|à part|en plus|dépourv|prive|lieu de",
        "es": r"falt|carec|rechaz|neg|sin|exclu|fals|impid|evit|quer|quis|previst|aparte|extra|suplement|"
        r"fuera|lugar de",
        "it": r"manc|rifiut|respint|senza|assen|esclus|fals|evit|imped|vole|previst|a parte|extra|"
        r"supplement|invece|priv[oai]",
        "pt": r"falt|carec|rejeit|recus|neg|sem|ausên|ausent|exclu|fals|evit|imped|quer|quis|previst|"
        r"à parte|extra|fora|lugar de",
        "nl": r"ontbre|weiger|afgewezen|zonder|gebrek|uitgeslo|onjuist|voorkom|wil|zou|plan|extra|apart|los",
        "sv": r"sakn|vägr|avslog|utan|exkl|fals|hindr|vill|skulle|extra|separat|brist",
        "da": r"mangl|næg|afvis|uden|ekskl|fals|hindr|vil|skulle|ekstra|særskilt|udelad",
        "no": r"mangl|nekt|avvis|uten|ekskl|fals|hindr|vil|skulle|ekstra|separat",
        "fi": r"puuttu|kieltäyt|hylä|ilman|vailla|väär|est|halu|pitäisi|erik|lisämaksu",
        "pl": r"brak|odmów|odrzuc|bez|wyklucz|wyłącz|fałsz|unik|chc|mia[łl]|dodatk|oddziel|osobn|poza",
        "cs": r"chyb|odmít|zamít|bez|vylouč|fale|zabrán|chtě|chce|měl|příplat|zvlášť|navíc|mimo",
        "sk": r"chýb|odmiet|zamiet|bez|vylúč|faloš|zabrán|chce|mal|príplat|osobitne|navyše|mimo",
        "hu": r"hiány|elutasít|nélkül|kizár|hamis|akar|külön|felár|megtagad",
        "ro": r"lips|refuz|respin|fără|exclu|fals|evit|împiedic|vre[ai]|separat|suplimentar",
        "ru": r"отсутств|отказ|отклон|без|исключ|ложн|избеж|хот|должен|должн|отдельн|дополнительн|помимо|лиш",
        "uk": r"відсутн|відмов|відхил|без|виключ|хибн|уник|хоч|хот|повин|окрем|додатков|крім|позбав",
        "bg": r"липсв|отказ|отхвърл|без|изключ|трябва|отделн|допълнителн",
        "el": r"λείπ|αρνή|απέρριψ|απορρί|χωρίς|αποκλεί|ψευδ|θέλ|ξεχωρ|επιπλέον|εκτός|δίχως",
        "tr": r"eksik|reddet|hariç|istisna|yanlış|iste|ayrı|ek ücret|dışında|yoksun",
        "vi": r"thiếu|từ chối|loại trừ|sai|muốn|ngoài|riêng|thêm|tránh",
        "id": r"kurang|menolak|ditolak|tanpa|kecuali|salah|ingin|terpisah|tambahan|hindar|gagal",
        "hi": r"अभाव|कमी|इनकार|अस्वीकार|बिना|अलग|अतिरिक्त|चाह|वंचित|रहित",
        "he": r"חסר|סירב|דחה|דחתה|ללא|בלי|למעט|בנפרד|בתוספת|נעדר|רצ",
        "ar": r"رفض|دون|بدون|باستثناء|عدا|ينقص|يفتقر|تفتقر|نفى|منفصل|إضافي|يريد|خال",
        "ko": r"거부|거절|부족|제외|별도|따로|추가|없|원하|실패",
        "zh": "缺|拒|禁|除|另|停|失败|失敗|否|想|要求|计划|計劃|避免|免",
        "ja": "欠|拒|禁|除|別|停|失敗|否|予定|避|免|不足|以外",
        "th": "ขาด|ปฏิเสธ|ห้าม|ยกเว้น|ต่างหาก|หยุด|ล้มเหลว|แยก|นอกจาก",
    }.items()
}
# By language: what allows, needs or forbids something, and the wording that replaces it in comparisons.
ALLOWED = {
    language: tuple((re.compile(pattern), instead) for pattern, instead in pairs)
    for language, pairs in {
        "en": (
            (r"\b(?:prohibit\w*|forbidden|forbids?|banned|bans?)\b", "not allowed"),
            (r"\b(?:permit(?:s|ted)?|allows?)\b", "allowed"),
        ),
        "de": ((r"\b(?:verboten|untersagt)\b", "nicht erlaubt"), (r"\b(?:gestattet|zulässig)\b", "erlaubt")),
        "fr": (
            (r"\binterdi\w+", "pas autorisé"),
            (r"\b(?:permis|admis|accepté)(?:e?s?)\b|\bautorisée?s?\b", "autorisé"),
            (r"\b(?:n['’]\s?accept\w+)", "n'autorisé"),
        ),
        "es": ((r"\bprohib\w+", "no permitido"), (r"\b(?:permite\w?|admit\w+|permitid\w+)\b", "permitido")),
        "it": (
            (r"\b(?:viet\w+|proibit\w+)", "non permesso"),
            (r"\b(?:ammess\w|consentit\w|permess\w)\b", "permesso"),
        ),
        "pt": (
            (r"\bproib\w+", "não permitido"),
            (r"\b(?:permite\w?|permitid\w+|aceit\w+)\b", "permitido"),
        ),
        "nl": ((r"\bverboden\b", "niet toegestaan"),),
        "sv": ((r"\bförbju\w+", "inte tillåtet"), (r"\btillåt\w+", "tillåtet")),
        "da": ((r"\bforbudt\b", "ikke tilladt"),),
        "no": ((r"\bforbudt\b", "ikke tillatt"),),
        "fi": ((r"\bkielle\w+", "ei sallittua"), (r"\bsalli\w+", "sallittua")),
        "pl": ((r"\b(?:zabroni\w+|zakaza\w+)", "nie dozwolone"), (r"\bdozwol\w+", "dozwolone")),
        "cs": (
            (r"\bzakáz\w+", "není povoleno"),
            (r"\bnepovol\w+", "není povoleno"),
            (r"\bpovol\w+", "povoleno"),
        ),
        "hu": ((r"\btilos\b", "nem engedélyezett"), (r"\b(?:szabad|megengedett)\b", "engedélyezett")),
        "ro": ((r"\binterzi\w+", "nu permis"), (r"\bpermi\w+", "permis")),
        "ru": ((r"\bзапре\w+", "не разрешено"), (r"\b(?:разреш\w+|допуска\w+)", "разрешено")),
        "uk": ((r"\bзаборон\w+", "не дозволено"), (r"\bдозвол\w+", "дозволено")),
        "bg": ((r"\bзабран\w+", "не разрешено"), (r"\b(?:разреш\w+|позвол\w+)", "разрешено")),
        "el": ((r"\bαπαγορε\w+", "δεν επιτρέπεται"), (r"\bεπιτρέ\w+", "επιτρέπεται")),
        "tr": ((r"\byasak\w*", "değil serbest"), (r"\bizin ver\w{0,9}me\w{1,9}\b", "değil serbest")),
        "vi": ((r"\b(?:bị )?cấm\b", "không được phép"), (r"\bđược(?: phép)?(?!\w)", "được phép")),
        "id": (
            (r"\b(?:dilarang|terlarang)\b", "tidak diizinkan"),
            (r"\b(?:boleh|diperbolehkan)\b", "diizinkan"),
        ),
        "he": ((r"\bאסור\b", "לא מותר"),),
        "ar": ((r"\b(?:ممنوع|يحظر|يمنع|تحظر)\b", "لا يسمح"), (r"\b(?:مسموح|يجوز|يحق)\b", "يسمح")),
        "ko": ((r"금지\S*", "않 허용"), (r"허용\S*", "허용")),
        "zh": (("禁止|不得|不可以|不准|不許|不许", "不允许"), ("可以|准许|准許|允許", "允许")),
        "ja": (
            ("不要|必要な[いく]|必要ありません", "ない必要"),
            ("禁止|禁じられ", "ない許可"),
            ("認められ|許され", "許可"),
        ),
        "th": (("ห้าม", "ไม่อนุญาต"),),
    }.items()
}
_PLAIN_COMMA = r"[,:.](?!\d)|(?<!\d)[,:.]"  # none of a number or a time
_AND = r"and|und|et|och|og|и|та|και|ve|és|și|și|oraz|dan"
# By language: words that join clauses and mean something else in another language, and those that introduce a
# reason, which is not denied.
_JOINING = {
    "en": "because|due to|owing to",
    "de": "weil|denn|wegen|aufgrund",
    "es": "y|porque|debido",
    "fr": "car|parce|puisque|faute",
    "it": "e|ed|perché|poiché",
    "pt": "e|porque|devido",
    "nl": "en|omdat|vanwege|wegens",
    "sv": "eftersom|därför|på grund",
    "da": "fordi|på grund",
    "no": "fordi|på grunn",
    "fi": "ja|sekä|koska|vuoksi|takia",
    "pl": "i|a|bo|gdyż|ponieważ|z powodu",
    "cs": "a|i|protože|kvůli|neboť",
    "sk": "a|i|pretože|lebo|kvôli",
    "hu": "mert|mivel|miatt",
    "ro": "deoarece|fiindcă|din cauza",
    "ru": "потому|поскольку|из-за",
    "uk": "через|бо|оскільки",
    "bg": "защото|поради",
    "el": "επειδή|γιατί|λόγω",
    "tr": "çünkü|nedeniyle|yüzünden",
    "vi": "và|vì|do",
    "id": "karena",
    "hi": "और|क्योंकि|के कारण",
    "he": "כי|משום|בגלל",
    "ar": "لأن|بسبب",
}
# By language: "but", which begins a clause.
_BUT = {
    "en": "but",
    "de": "aber|doch",
    "fr": "mais",
    "es": "pero",
    "it": "ma|però",
    "pt": "mas",
    "nl": "maar",
    "sv": "men",
    "da": "men",
    "no": "men",
    "fi": "mutta",
    "pl": "ale|lecz",
    "cs": "ale",
    "sk": "ale",
    "hu": "de",
    "ro": "dar",
    "ru": "но|а",
    "uk": "але|а",
    "bg": "но|а",
    "el": "αλλά",
    "tr": "ama|fakat|ancak",
    "vi": "nhưng",
    "id": "tetapi|namun",
    "hi": "लेकिन|पर",
    "he": "אבל|אך",
    "ar": "لكن|ولكن",
    "ko": "하지만|그러나",
    "zh": "但是|但|不过|不過|然而|而",
    "th": "แต่",
}
_CLAUSE_SIGNS = rf"[;!?，、。；：！？،؛।()（）–—\n]+|{_PLAIN_COMMA}|(?<!\S)(?:{_AND})(?!\S)"
CLAUSE = {
    language: re.compile(rf"{_CLAUSE_SIGNS}|(?<!\S)(?:{words})(?!\S)", re.IGNORECASE)
    for language, words in _JOINING.items()
}
OTHER_CLAUSE = re.compile(_CLAUSE_SIGNS, re.IGNORECASE)
BEGINS_CLAUSE = {
    language: re.compile(
        rf"\A\s*(?:{words})" + ("" if language in UNSPACED_NEGATIONS else r"(?!\S)"), re.IGNORECASE
    )
    for language, words in _BUT.items()
}
