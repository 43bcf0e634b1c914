"""Phrases that state another name of somebody, recognised by the words between and around two names.

A missing phrase costs an alias; one that matches something else merges two persons. So each is as narrow as
possible: "called" alone is a call, and "was named" an appointment.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

# What stands second must have, or be, where the phrase alone says little: an article or quotes, quotes, or a
# person's full name.
Needs = Literal["mark", "quote", "person"] | None


class Phrase(NamedTuple):
    """The words between two names of a sentence, and around them."""

    between: re.Pattern[str]
    name_first: bool  # the fuller name stands first, and its alias second
    before: re.Pattern[str] | None = None  # ends right before the first
    after: re.Pattern[str] | None = None  # begins right after the second
    passes: bool = False  # what stands second is an office
    needs: Needs = None
    finite: bool = False  # what stands first must be the subject: who sailed with Corvin Drake was called …


def _phrase(
    between: str,
    *,
    first: bool,
    before: str = "",
    after: str = "",
    passes: bool = False,
    needs: Needs = None,
    finite: bool = False,
) -> Phrase:
    return Phrase(
        between=re.compile(between),
        name_first=first,
        before=re.compile(f"(?:{before})$") if before else None,
        after=re.compile(f"(?:{after})") if after else None,
        passes=passes,
        needs=needs,
        finite=finite,
    )


_ASIDE = r"(?:,? | \()"
_ALSO = (
    r"(?:(?:also|already|better|best|later|long|widely|commonly|often|sometimes|always|usually|once|otherwise|only|just|simply|"
    r"now|then|ever|formerly|everywhere|popularly) )*"
)
# With a comma alone before the verb, another is the subject: Ada, who married Corvin Drake, was called …
_SUBJECT = r"(?:,? who)?"
_WHO = rf"{_SUBJECT}(?: (?:was|is|had been|has been|came to be|became))"
_WHERE = r"(?: (?:by|among|to|in|on|at|along|throughout|across|around|over) [\w' -]{1,40}?)?"
# Called by the crew the Heron, but not called by the crew of the Heron, nor to the help of the Heron.
_BY = (
    r"(?: (?:by|among|along|throughout|across|in|on) [\w' -]{1,40}?"
    r"(?<! of)(?<! to)(?<! for)(?<! from)(?<! in)(?<! with))?"
)
_TRUE = r"(?:real|true|full|given|proper|birth|first|own|actual|right|Christian)"
_NAME_WORD = r"(?:name|nickname|by-name|byname|alias|sobriquet|pen name|stage name|code name)"
_CALL = r"(?:call|calls|called|nicknamed|dubbed|christened|baptised|baptized)"

ENGLISH = (
    # Corvin Drake was called the Heron; Corvin Drake, known to the sailors as the Heron
    _phrase(
        rf"{_WHO} {_ALSO}(?:known|referred to|remembered|addressed){_WHERE} {_ALSO}as ",
        first=True,
        finite=True,
    ),
    _phrase(rf"{_WHO} {_ALSO}(?:called|nicknamed|dubbed|christened){_BY} ", first=True, finite=True),
    _phrase(rf"{_ASIDE}{_ALSO}(?:known|referred to){_WHERE} {_ALSO}as ", first=True),
    _phrase(rf"(?:, | \(){_ALSO}(?:called|nicknamed|dubbed){_BY} ", first=True),
    _phrase(
        rf"{_SUBJECT} {_ALSO}(?:goes|went|travelled|traveled|sailed|lived|fought|wrote|published) "
        rf"(?:by|under) the {_NAME_WORD}(?: of)? ",
        first=True,
        finite=True,
    ),
    _phrase(rf",? {_ALSO}going (?:by|under) the {_NAME_WORD}(?: of)? ", first=True),
    _phrase(rf"{_SUBJECT} {_ALSO}goes by ", first=True, needs="mark", finite=True),
    _phrase(rf",? {_ALSO}going by ", first=True, needs="mark"),
    _phrase(
        rf"{_SUBJECT} {_ALSO}went by ",
        first=True,
        needs="quote",  # went by Lisbon, by the harbour
        finite=True,
    ),
    _phrase(
        rf"{_SUBJECT} (?:answers|answered) {_ALSO}to the {_NAME_WORD}(?: of)? ",
        first=True,
        finite=True,
    ),
    _phrase(
        rf"{_SUBJECT} (?:answers|answered) {_ALSO}to ",
        first=True,
        needs="quote",  # answered to the Council
        finite=True,
    ),
    _phrase(rf",? answering {_ALSO}to the {_NAME_WORD}(?: of)? ", first=True),
    _phrase(rf",? answering {_ALSO}to ", first=True, needs="quote"),
    _phrase(rf"{_ASIDE}(?:alias|a\.k\.a\.|aka) ", first=True),
    _phrase(rf"{_ASIDE}(?:née|nee|né|born) ", first=True, needs="person"),  # born in 1850, born Venn
    _phrase(
        r",? whose (?:nickname|by-name|byname|alias|sobriquet|pen name|stage name|code name) (?:was|is) ",
        first=True,
    ),
    _phrase(
        r"['’]s? (?:nickname|by-name|byname|alias|sobriquet|pen name|stage name|code name) (?:was|is) ",
        first=True,
    ),
    # The sailors called Corvin Drake the Heron
    _phrase(
        r" (?:simply |only |just |merely )?", first=True, before=rf"(?<!was )(?<!were )(?<!is )\b{_CALL} "
    ),
    _phrase(r" (?:simply |only |just )?as ", first=True, before=r"\b(?:know|knows|knew) "),
    # The Heron, whose true name was Corvin Drake
    _phrase(rf",? whose (?:{_TRUE} )?name (?:was|is|had been) ", first=False),
    _phrase(rf"['’]s? {_TRUE} name (?:was|is|had been) ", first=False),
    _phrase(
        rf"{_SUBJECT} (?:was|is) (?:really|in truth|in fact|actually|in reality) ",
        first=False,
        needs="person",  # was actually French
        finite=True,
    ),
    _phrase(rf"{_SUBJECT} (?:was|is) none other than ", first=False, finite=True),
    # offices
    _phrase(
        r"(?: \w+ly)? (?:became|was (?:crowned|elected|appointed|made|named|chosen|proclaimed|sworn in as)|"
        r"succeeded [\w ]{1,40} as|took over as|served as) (?:the )?(?:new |next |last |first )?",
        first=True,
        passes=True,
        finite=True,
    ),
)
GERMAN = (
    _phrase(rf"{_ASIDE}(?:der |die )?(?:auch |später |meist |nur |überall )*genannt ", first=True),
    _phrase(
        r" (?:wurde|wird|war|ist)(?: (?:auch|nur|später|überall|oft|meist|bald|immer|einfach))*"
        r"(?: (?:von|bei|unter|in) [\w ]{1,40}?)? ",
        first=True,
        after=r" (?:genannt|gerufen|geheißen)\b",
        finite=True,
    ),
    _phrase(
        r",?(?: (?:der|die))?(?: (?:auch|besser|überall|weithin|später))* (?:bekannt|berühmt) "
        r"(?:als|unter dem Namen) ",
        first=True,
    ),
    _phrase(
        r" (?:war|ist|wurde)(?: (?:bei|unter|in|von) [\w ]{1,40}?)? (?:auch |nur |überall |besser )*als ",
        first=True,
        after=r" bekannt\b",
        finite=True,
    ),
    _phrase(rf"{_ASIDE}(?:alias|mit Spitznamen|mit dem Spitznamen|mit dem Beinamen) ", first=True),
    _phrase(
        r",? (?:dessen|deren) (?:Spitzname|Beiname|Deckname|Künstlername) (?:war |ist |lautete )?", first=True
    ),
    _phrase(r" (?:nur |einfach |auch )?", first=True, before=r"\b(?:nannten?|nennen|nennt) ", needs="mark"),
    _phrase(r" (?:nur |einfach |auch )?", first=True, before=r"\b(?:riefen|rief) ", needs="quote"),
    _phrase(
        r",? (?:dessen|deren) (?:(?:richtiger|wahrer|eigentlicher|voller|wirklicher) )?Name "
        r"(?:war |ist |lautete )?",
        first=False,
    ),
    _phrase(
        r" (?:hieß|heißt) (?:eigentlich|in Wahrheit|mit richtigem Namen|mit vollem Namen|in Wirklichkeit) ",
        first=False,
        finite=True,
    ),
    _phrase(r",? (?:eigentlich|gebürtig) ", first=False, needs="person"),  # gebürtig Hamburger
    _phrase(r",? mit bürgerlichem Namen ", first=False),
    _phrase(r" (?:war|ist) (?:in Wahrheit|in Wirklichkeit) ", first=False, needs="person", finite=True),
    _phrase(r" (?:war|ist) (?:niemand anderes als|kein anderer als) ", first=False, finite=True),
    _phrase(r" wurde (?:(?:zum|zur|der neue|die neue|neuer|neue) )?", first=True, passes=True, finite=True),
)
FRENCH = (
    _phrase(r",? (?:dite?|surnommée?|alias|connue? (?:sous le nom de|comme)|appelée?) ", first=True),
    _phrase(r",? dont le vrai nom (?:est|était) ", first=False),
)
SPANISH = (
    _phrase(
        r",? (?:apodad[oa]|alias|(?:también )?llamad[oa]|conocid[oa] como|más conocid[oa] como) ", first=True
    ),
    _phrase(r",? cuyo (?:verdadero )?nombre (?:es|era) ", first=False),
)
_ZH_CALL = (
    "(?:人称|人們稱|外号|绰号|綽號|外號|诨名|诨号|别名|別名|又名|又叫|又称|化名|号称|自号|号|字|小名|乳名|"
    "人送外号|江湖人称|江湖上人称|道上人称)"
)
CHINESE = (
    _phrase(rf"[，,（(]?{_ZH_CALL}(?:叫|为|是|作|做)?[“「『《]?", first=True),
    _phrase(
        r"[，,（(](?:也叫|也称|亦称)[“「『《]?", first=True, after=r"[”」』》]*[，。；！,.;!）)]"
    ),  # 也叫她来
    _phrase(
        r"[，,]?(?:也|又|常|总|一直)?被(?:[\u4e00-\u9fff]{0,8})?(?:称为|称作|唤作|叫做|叫作|尊称为|戏称为)[“「『]?",
        first=True,
    ),
    _phrase(
        r"(?:为|作|做|叫|叫做|叫作|唤作|称作)?[“「『]?",
        first=True,
        before=r"(?:都|皆|便|就|总|也|人人|大家|众人|他们|水手们|村民们|人们)(?:叫|称|唤|管|称呼|把)",
    ),
    _phrase(
        r"[，,]?(?:的)?(?:本名|原名|真名|真实姓名|大名|俗名)(?:叫|是|为|叫做|叫作)?[“「『]?", first=False
    ),
    _phrase(r"(?:其实)?(?:就是|正是|乃是|便是)", first=False, after=r"[，。！？,.!?]", needs="person"),
    _phrase(r"(?:成为|成了|当上了?|做了|接任|继任|就任)(?:新的?|新任)?", first=True, passes=True),
)
PHRASES = (*ENGLISH, *GERMAN, *FRENCH, *SPANISH)
# A sentence with one of these may say who is not called so or may be, or it asks; "none other" says who is.
NO_STATEMENT = re.compile(
    r"\b(?:not|never|nobody|no|neither|nor|cannot|hardly|den(?:y|ies|ied|ying)|disput\w+|doubt\w*|falsely|wrongly|"
    r"perhaps|maybe|possibly|probably|presumably|allegedly|supposedly|reportedly|apparently|rumou?r\w*|might|whether|"
    r"nicht|nie|niemals|niemand(?! ander)|kein(?!e? ander)\w*|weder|bestritt\w*|bestreitet|leugnet\w*|"
    r"vielleicht|angeblich|vermutlich|mutmaßlich|womöglich|möglicherweise|wohl|ob|"
    r"jamais|personne|pas|peut-être|nunca|jamás|nadie|ningun[oa]|quizás?|tal vez)\b|n['’]t\b|"
    r"没|沒|不是|并不|並不|不叫|不称|从不|并非|並非|绝非|从未|從未|未曾|否认|否認|无人|無人|"
    r"也许|也許|或许|或許|可能|据说|據說|传说|傳說|传闻|傳聞|听说|聽說|疑似|是否|[?？][\"'”’»」』]*\s*$",
    re.IGNORECASE,
)
# Titles that stand for their current holder.
OFFICES = frozenset(
    """
    king queen emperor empress prince princess duke duchess count countess baron baroness earl lord lady
    sultan tsar pope bishop archbishop cardinal abbot abbess prior captain colonel major general admiral
    commander lieutenant sergeant marshal president chancellor premier minister governor mayor senator
    judge sheriff warden keeper chief head master mistress director manager leader boss champion
    chairman chairwoman chair secretary treasurer steward regent heir coach principal dean rector
    professor doctor teacher priest priestess elder speaker ambassador consul guardian watchman
    harbourmaster harbormaster quartermaster overseer marquis marchioness könig königin kaiser kaiserin
    fürst fürstin herzog herzogin graf gräfin papst bischof kapitän hauptmann oberst präsident
    präsidentin kanzler kanzlerin bürgermeister bürgermeisterin wächter wächterin meister meisterin roi
    inspector commissioner constable doge pharaoh caliph shah sheikh emir khan vizier vicar father mother
    inspektor kommissar pfarrer vater mutter
    reine empereur duc comte pape capitaine maire rey reina duque conde papa capitán alcalde
    """.split()  # noqa: SIM905 - a list of words reads best
)
HAN_OFFICES = re.compile(
    r"(?:国王|女王|皇帝|皇后|王|帝|太子|公主|将军|元帅|队长|船长|校长|市长|县长|村长|帮主|掌门|盟主|族长|首领|宰相|丞相|总统|主席|总理|部长|院长|馆长|教授|先生|师傅|掌柜|当家|守将|城主|老师|师父|皇上|陛下|殿下|大人)$"
)
# Chinese has neither capitals nor articles: what anybody may be called, or is to somebody, is no by-name.
HAN_NOUNS = re.compile(
    r"(?:哥哥|弟弟|姐姐|妹妹|兄弟|姐妹|父亲|母亲|爸爸|妈妈|爷爷|奶奶|外公|外婆|叔叔|伯伯|舅舅|姑姑|姑母|姨妈|阿姨|婶婶|嫂子|"
    r"丈夫|妻子|老公|老婆|儿子|女儿|孙子|孙女|侄子|侄女|外甥|亲戚|亲人|双胞胎|朋友|好友|同伴|伙伴|主人|客人|仆人|邻居|同学|"
    r"同事|学生|徒弟|弟子|敌人|仇人|恩人|孩子|少年|少女|青年|老人|老头|男人|女人|男孩|女孩|姑娘|小伙子|凶手|英雄|叛徒|天才|"
    r"奇才|人才|神童|骗子|小偷|强盗|海盗|土匪|罪犯|犯人|嫌犯|嫌疑人|内奸|汉奸|间谍|卧底|奸细|懦夫|胆小鬼|傻瓜|笨蛋|疯子|坏人|"
    r"好人|恶人|伟人|名人|烈士|功臣|冠军|亚军|赢家|老板|老大|头目|大副|农民|工人|商人|渔民|水手|士兵|战士|医生|护士|律师|记者|"
    r"作家|诗人|画家|歌手|演员|导演|科学家|专家|学者|作者|司机|警察|侦探|厨师|木匠|铁匠|裁缝|猎人|牧师|和尚|道士|创始人|发明人|"
    r"发明家|继承人|候选人|负责人|领导|领导人|代表|成员|选手|队员|球员|顾问|秘书|经理|主任|司令|"
    r"[会组班局处科所站团连营旅师军舰厂镇乡州省店]长)$|^[大二三四五六老小]?[哥弟姐妹叔伯爷嫂舅姑姨婶爹娘]$"
)
