"""Recognises relations with one value at a time, so that two different values contradict each other."""

from __future__ import annotations

import re
from typing import NamedTuple

from workers.core.answers.check import missing_names
from workers.core.answers.negation import may_deny
from workers.critic.values import MARK

# As Ada Lovelace, or Isle of Man.
_NAME = r"[A-Z][\w.'’-]*(?: (?:(?:of|de|van|von|the|al|la|del|der) )?[A-Z][\w.'’-]*)*"
_TAIL = rf"(?P<tail>(?:,? (?:in|on|since|as of|until)? ?{MARK})?)"
# Roles that one holds for good, and roles that another may hold later.
_LASTING = "architect|author|composer|designer|inventor|father|mother|birthplace"
_CURRENT = (
    "(?:general |managing )?manager|(?:managing )?director|chief executive(?: officer)?|CEO|chair(?:wo)?man|"
    "chair|president|mayor|governor|headmaster|headmistress|owner|landlord|tenant|contact|"
    "legal representative|husband|wife|capital|headquarters|head office|place of jurisdiction"
)
_ROLE = rf"(?:(?:{_LASTING}) (?:of|for|at) [^,;]+ (?:is|was)|(?:{_CURRENT}) (?:of|for|at) [^,;]+ is)"
_OWNED = rf"(?:(?:{_LASTING}) (?:is|was)|(?:{_CURRENT}) is)"
_SEATED = "headquartered|buried|born"
_SEAT = "has its (?:seat|head office|headquarters)"
_PLACED = rf"(?:(?:was|is|are|were) (?:{_SEATED})|died|{_SEAT}) (?:in|at|near)"
_ENGLISH = (
    re.compile(rf"^(?P<frame>[Tt]he {_ROLE}) (?P<name>{_NAME}){_TAIL}\.?$"),
    re.compile(rf"^(?P<frame>[^,;]+['’]s {_OWNED}) (?P<name>{_NAME}){_TAIL}\.?$"),
    re.compile(
        rf"^(?P<name>{_NAME}) (?:is|serves as) "
        rf"(?P<frame>the (?:{_LASTING}|{_CURRENT}) (?:of|for|at) [^,;]+?){_TAIL}\.?$"
    ),
    re.compile(rf"^(?P<frame>[^,;]+ {_PLACED}) (?P<name>{_NAME}){_TAIL}\.?$"),
)
_ROLES = (
    "首席执行官|总经理|董事长|副董事长|负责人|联系人|经理|校长|院长|市长|总统|主席|总理|首相|部长|局长|馆长|主任|"
    "秘书长|总裁|首都|首府|省会|总部|作者|导演|主编|设计师|建筑师|总工程师|法定代表人|代表人|甲方|乙方|出生地|"
    "所在地|注册地|地址|籍贯|承运人|受益人|监护人|丈夫|妻子|父亲|母亲|收货地|交货地点|仲裁地"
)
_HAN_NAME = r"[^\s,。;、:和与及或等的是为]{1,20}?"
_HAN_TAIL = r"(?P<tail>)"
_CHINESE = (
    re.compile(
        rf"^(?P<frame>.+的(?:{_ROLES})(?:现在|目前)?(?:是|为|由|在))(?P<name>{_HAN_NAME}){_HAN_TAIL}。?$"
    ),
    re.compile(
        rf"^(?P<frame>[^,。;]+?(?:出生于|生于|出生在|葬于|总部位于|总部设在))(?P<name>{_HAN_NAME})"
        rf"{_HAN_TAIL}。?$"
    ),
    re.compile(
        rf"^(?P<name>{_HAN_NAME})(?:现在|目前)?(?:是|担任|任)(?P<frame>.+的(?:{_ROLES})){_HAN_TAIL}。?$"
    ),
)
# What a number is said of as a state; what was done once may be done again with another number.
_STATE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|holds?|seats?|measures?|weighs?|costs?|lasts?|runs|takes|covers?|spans?|"
    r"contains?|comprises?|employs?|amounts?|requires?|allows?|lies|stands|must|shall|may|will|within|stretches|"
    rf"consumes|pays|charges|offers|needs|owns|produces|serves|carries|accommodates|equals)\b|"
    rf"\b(?:of|at|to) {MARK}"
)
_DONE = re.compile(rf"了[^,。]{{0,4}}{MARK}")
# Events that happen to a thing only once.
_ONCE = re.compile(
    r"\b(?:born|died|founded|established|opened|built|completed|inaugurated|signed|launched|invented|discovered|"
    r"incorporated|consecrated|demolished|abolished|ratified|effective|expires?|expired|ends|ended|premiered|"
    r"commissioned|created|dissolved|discontinued|retired|expiry)\b|"
    r"生于|出生|逝世|去世|成立|建成|竣工|落成|开业|开放|通车|签订|签署|生效|到期|届满|创立|创建|始建|启用|交付|上市"
)
# The same in other languages.
_ONCE_ELSEWHERE = re.compile(
    r"\b(?:geboren|gestorben|starb|gegründet|eröffnet|(?:er)?baut|gebaut|errichtet|fertiggestellt|eingeweiht|unterzeichnet|"
    r"entdeckt|erfunden|abgerissen|endete?|née?s?\b|mort|décéd|fond[éa]|ouvert|construit|achev|inaugur|signé|découvert|"
    r"inventé|expire|créé|démoli|nació|murió|falleció|fund[óa]|abiert|abrió|construid|firmad|descubiert|vence|cread|"
    r"nat[oa]\b|mor(?:ì|t[oa])\b|apert|costruit|completat|firmat|scopert|scade|nasceu|morreu|abert|construíd|assinad|"
    r"overleden|opgericht|geopend|gebouwd|voltooid|ondertekend|född|dog\b|grunda|invigd|öppna|byggd|født|døde|grundlagt|"
    r"åbnet|åpnet|bygget|urodził|zmarł|założon|otwart|zbudowan|podpisan|narodil|zemřel|založen|otevřen|postaven|"
    r"родил|умер|скончал|основан|открыт|построен|заверш|подписан|истекает|народи|помер|заснован|відкрит|збудован|"
    r"khánh thành|khai trương|thành lập|dibuka|didirikan|diresmikan|dibangun|lahir\b|"
    r"doğdu|öldü|kuruldu|açıldı|inşa|tamamlandı|imzalandı|و?لد|و?ولدت|توفي|تأسس|افتتح|افتتاح|بني|بناء|اكتمل|وقع|ينتهي|تنتهي)|"
    r"生まれ|誕生|死去|亡くな|設立|創業|開業|開通|開館|完成|建設|建てられ|締結|調印|発効|満了|発見|"
    r"태어|출생|사망|설립|창립|개통|개관|완공|준공|체결|만료|जन्म|निधन|मृत्यु|स्थाप|खुल|खोल|उद्घाटन|निर्माण|हस्ताक्षर|समाप्त",
    re.IGNORECASE,
)
# Marks of denied, supposed, planned or merely reported statements.
_UNSURE = re.compile(
    r"\b(?:not|no|never|neither|if|unless|would|could|might|said|says|claims?|claimed|according|expected|expects|"
    r"planned|estimated)\b|n['’]t\b|[不未若]|如果|预计|计划|据说|据称",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|every|each|another|also|twice|(?:opened|built|launched|released|"
    r"published|founded|established|created|signed|completed|opens) (?:a|an|new|more|several|some|two|its)|"
    r"between|renewed|meetings?|visited)\b|每|再次|又|另|一家|一个|一座|之间|重新"
)
_UNSURE_ELSEWHERE = re.compile(
    r"^s[ie]\b|, s[ie]\b|\b(?:s['’]ils?|wenn|falls|laut|angeblich|soll(?:en|te|ten)?|würden?|könnten?|"
    r"geplant|voraussichtlich|sagte?|selon|serait|pourrait|prévue?s?|dit|según|sería|podría|previst[oa]s?|dijo|secondo|sarebbe|segundo|seria|disse|"
    r"volgens|zou|enligt|ifølge|według|jeśli|podle|согласно|если|бы|планиру\w*|сказал\w*|якщо|göre|eğer|قال|وفقا|إذا|المتوقع)\b|"
    r"によると|予定|もし|かもしれ|だろう|と述べ|と言|예정|따르면|만약|के अनुसार|यदि|अगर|कहा|शायद",
    re.IGNORECASE,
)
_AGAIN_ELSEWHERE = re.compile(
    r"\b(?:wieder|erneut|jede[mnrs]?|weitere\w*|auch|zwischen|zweimal|jährlich|chaque|encore|aussi|autres?|entre|annuel\w*|cada|"
    r"otr[oa]s?|también|anual\w*|ogni|anche|altr[oaie]|tra|outr[oa]s?|também|снова|кажд\w+|также|ещё|еще|между|ежегодн\w*|"
    r"كل|أيضا|بين|سنويا)\b|毎|再び|また|別の|もう|ごと|매년|다시|또|हर|प्रत्येक|फिर|अन्य|के बीच|वार्षिक",
    re.IGNORECASE,
)
_PERIODIC = re.compile(r"\b(?:annual(?:ly)?|yearly|monthly|weekly)\b")
_GENERIC = frozenset(
    """delivery payment notice contract agreement price fee term interest rent warranty deadline order
    shipping invoice budget salary staff employees customers members tickets total production training work
    construction revenue profit sales turnover guarantee insurance tax approval he she it they we you i
    this that these those our my his her their its there""".split()  # noqa: SIM905
)
_GENERIC_HAN = re.compile(
    r"(?:本|该|此|其|我|你|他|她|它|双方|甲方|乙方|合同|协议|公司|价格|总价|金额|费用|租金|租期|期限|有效期|通知期|付款|"
    r"交货|交付|保修|违约金|利率|工期|员工|押金|这)"
)
_GENERIC_ELSEWHERE = {  # of scripts without capitals
    "ja": re.compile("本|当|この|その|同|私|彼|価格|料金|金額|契約|期間|通知|賃料|給料|会社|社員|従業員"),
    "ko": re.compile("본|이 |그|우리|가격|요금|계약|기간|회사|직원|임대료"),
    "ar": re.compile(
        r"(?:\S{1,20} )?(?:طول |مدة )?(?:هذا|هذه|هو|هي|السعر|العقد|المدة|الشركة|الرسوم|الإيجار)(?!\w)"
    ),
    "hi": re.compile("यह|वह|ये|वे|इस|उस|हम|कीमत|शुल्क|अनुबंध|अवधि|कंपनी|किराया|वेतन|कर्मचारी"),
}
_ARTICLES = frozenset(("the", "a", "an", "all"))
_LEADING = frozenset(
    """he she it they we you i this that these those our my his her their its there in on at as by according
    along when while after before during since from for with approximate approximately population
    attendance""".split()  # noqa: SIM905
)
_LED_IN = re.compile(rf"(?:In|On|By|Since|As of|Until|At) {MARK},? ")
_SUBJECT = re.compile(
    r"(?:(?!\b(?:is|are|was|were|has|have|had|must|shall|will|may|can|does|did)\b)[^,;]){1,80}"
)


class NamedValue(NamedTuple):
    """A name that is the only value of a relation, with the rest of the statement."""

    name: str
    frame: str


def named_value(text: str) -> NamedValue | None:
    """Return the name that a statement gives as the only value of something; None if it gives none.

    Args:
        text: shaped statement, with its numbers and dates marked.
    """
    for nth, pattern in enumerate((*_ENGLISH, *_CHINESE)):
        match = pattern.match(text)
        if match is None:
            continue
        part = match.groupdict()
        return NamedValue(part["name"].rstrip("."), f"{nth} {part['frame']} {part['tail']}")
    return None


def is_other_name(name: str, other: str) -> bool:
    """Return whether two names share no word and neither is part of the other."""
    words, others = set(name.casefold().split()), set(other.casefold().split())
    return not (words & others or name in other or other in name)


def is_unsure(text: str, language: str) -> bool:
    """Return whether a statement is a denial, a supposition or a report, so that it contradicts nothing."""
    if _UNSURE.search(text):
        return True
    return _is_other(language) and bool(_UNSURE_ELSEWHERE.search(text) or may_deny(text, language))


def states_one_amount(text: str, language: str) -> bool:
    """Return whether a statement, with values marked, gives an amount that a thing has only once."""
    if _is_again(text, language):
        return False
    if language == "en":
        return _STATE.search(text) is not None
    return language != "zh" or not _DONE.search(text)


def states_one_date(text: str, language: str) -> bool:
    """Return whether a statement, with values marked, gives the date of something that happens once."""
    once = _ONCE_ELSEWHERE if _is_other(language) else _ONCE
    return once.search(text) is not None and not (_is_again(text, language) or _PERIODIC.search(text))


def _is_again(text: str, language: str) -> bool:
    again = _AGAIN_ELSEWHERE if _is_other(language) else _AGAIN
    return again.search(text) is not None


def _is_other(language: str) -> bool:
    return language not in ("en", "zh")


def names_its_subject(text: str, language: str) -> bool:
    """Return whether a statement alone identifies its subject, unlike "The price is 300 euros"."""
    generic = _GENERIC_HAN if language == "zh" else _GENERIC_ELSEWHERE.get(language)
    if generic:
        return generic.match(text) is None
    if language != "en":
        return bool(missing_names(text, " "))
    match = _SUBJECT.match(_LED_IN.sub("", text, count=1))
    words = match.group().split() if match else []
    if not words or words[0].casefold() in _LEADING:
        return False
    named = words[1:] if words[0].casefold() in _GENERIC | _ARTICLES else words
    return any(word[0].isupper() for word in named)
