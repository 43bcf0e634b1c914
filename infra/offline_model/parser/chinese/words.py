"""Word lists from which the type, the beginning and the end of a Chinese name are found."""

from __future__ import annotations

import re

from infra.offline_model.parser.statements.cast_words import Sort

HAN = "\u3400-\u9fff"
SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华魏陶姜戚谢邹柏窦章苏潘葛范彭鲁韦苗凤俞袁柳史唐费廉岑"
    "薛雷贺倪汤滕殷罗毕郝邬康伍余顾孟穆萧尹姚邵汪祁毛狄贝戴宋茅庞熊纪舒屈项祝董梁杜阮蓝席季贾路江童颜郭梅盛林钟徐"
    "邱骆夏蔡田樊胡凌霍虞卢莫房裘丁邓洪崔龚程邢裴陆荣翁曾叶白高马方石金黄"
)
DOUBLE_SURNAMES = ("欧阳", "司马", "上官", "诸葛", "慕容", "司徒", "令狐", "皇甫")
# Surnames that are everyday nouns as well: behind them a name has to be shown to be one.
NOUNS_TOO = frozenset("石钟金马白高方黄江雷史柏窦苗叶林夏梅路毛席杜童颜蓝水")
# What begins like a name and is none.
NO_NAMES = re.compile(
    "柳树|柳枝|柳条|许多|许久|周围|周年|严重|严厉|华丽|谢谢|程度|项目|余下|莫非|莫名|唐朝|宋朝|宋代|顾客|顾不|舒服|单独|何时|何处|陈旧|"
    "康复|伍长|汪洋|戴着|戴上|张开|张嘴|张罗|施工|洪水|温暖|范围|管理|尤其|郎中|阿姨|老人|老师|老板|小偷|小心|小时|小声|"
    "小路|小镇|小村|小河|小山|小孩|小姐|小伙|小说|小学|老家|老虎|老鼠|老是|老实|老百"
)
PREFIXES = "阿老小"  # with one character more, or two: what somebody is called
CALLINGS = (
    rf"(?:(?![从向给对被为替把在和与跟同的是个位名了])[{HAN}]){{1,2}}匠|"
    "裁缝|郎中|大夫|医生|护士|渔夫|渔民|船夫|船工|渡工|水手|船长|农夫|猎人|猎户|牧人|樵夫|商人|"
    "掌柜|老板娘|老板|小二|厨师|厨娘|书生|先生|教授|老师|教师|校长|画家|诗人|作家|歌手|琴师|乐师|守[灯塔林]人|"
    "女官|县令|知府|将军|元帅|士兵|队长|侦探|警察|法官|律师|和尚|道士|尼姑|道长|方丈|小偷|强盗|海盗|骗子|乞丐|老人|"
    "老妇|少年|少女|男孩|女孩|姑娘|孩子|寡妇|孤儿|国王|女王|王后|王子|公主|皇帝|皇后|侍卫|侍女|邮差|更夫|工程师|学生|"
    "学徒|记者"
)
TITLES = (
    "大娘|大爷|大妈|大叔|大伯|大哥|大姐|婆婆|奶奶|爷爷|先生|太太|夫人|小姐|师傅|师父|道长|队长|船长|将军|掌柜"
)
CHIEFS = (
    "帮主|会长|队长|首领|头领|头目|团长|社长|船长|校长|馆长|镇长|村长|县令|知府|国王|女王|王后|皇帝|掌门|堂主|"
    "主席|总管"
)
KIN = (
    "父亲|母亲|爸爸|妈妈|爹|娘|儿子|女儿|哥哥|弟弟|姐姐|妹妹|兄长|侄子|侄女|外甥|外甥女|叔叔|伯伯|舅舅|姑姑|姑母|姨妈|"
    "祖父|祖母|爷爷|奶奶|外公|外婆|孙子|孙女|堂兄|堂弟|表哥|表弟|表姐|表妹|养父|养母|养子|养女"
)
SPOUSES = "妻子|丈夫|未婚妻|未婚夫|新娘|新郎"
FEMALE = re.compile(r"大娘|大妈|大姐|婆婆|奶奶|太太|夫人|小姐|女|娘|姑|姐|妹|妈|母|妻|妇|尼|后$|公主")
MALE = re.compile(r"大爷|大叔|大伯|大哥|爷爷|男|爸|爹|父|哥|弟|兄|叔|伯|舅|夫$|王子|国王|皇帝|和尚|道士")
# By the last characters of a name.
ENDINGS: dict[Sort, str] = {
    "group": "帮|会|社|队|军|团|派|门派|行会|商会|学堂|学院|书院|商号|公司|衙门|家族|部落|协会|委员会",
    "nation": "王国|帝国|共和国|国",
    "region": "州|省|平原|草原|高原|沙漠|沿海|山区",
    "place": (
        "镇|村|城|县|市|寨|谷|山|峰|岭|岛|河|江|湖|溪|海|湾|港|桥|寺|庙|塔|楼|馆|客栈|码头|渡口|庄|"
        "果园|宫|关|坊|场|街|巷|车站|医院|广场|林场"
    ),
    "item": (
        "谱|哨子|哨|笛子|笛|剑|刀|匕首|弓|盾|钥匙|戒指|项链|玉佩|王冠|灯笼|油灯|灯|信|地图|账本|日记|镜子|匣子|"
        "箱子|铜钱|金币|船|渡船|马车|风筝|鼓|琴|钟|铃|石碑|雕像|印章|画卷|面具|罗盘|袍子|袍|旗"
    ),
}
# What a thing is counted by: 一支铜哨.
MEASURES = "支把只艘条本盏口枚封块座张件串顶面颗辆匹幅卷对"
# What may stand before a name: particles, prepositions, verbs that take somebody or somewhere.
BEFORE = (
    "拜|娶|嫁给|的|了|着|过|和|与|跟|同|对|向|给|把|被|让|叫|替|为|是|在|从|到|往|离开|来到|回到|走到|去|回|进|开进|经过|越过|穿过|"
    "掌管|统治|管|遇见|遇到|碰见|告诉|问|找|找到|等|教会|教|带着|带|帮助|帮|救|救了|看见|见|率领|加入|说|或|及|由|于|比|连|不到"
)
# What may stand behind a name: the end of a phrase, particles, verbs, prepositions.
AFTER = (
    "[，。；：、！？“”‘’「」『』（）《》\\s]|$|的|了|和|与|跟|同|对|向|给|把|被|让|叫|替|为|是|在|从|到|往|说|问|答|笑|哭|喊|"
    "想|看|听|走|跑|站|坐|躺|住|来|去|回|吃|喝|睡|醒|等|找|带|拿|抱|背|端|推|拉|打|杀|救|帮|教|学|管|率|领|掌|加入|离|得|"
    "失|遇|碰|娶|嫁|爱|恨|背|吹|敲|穿|脱|戴|爬|躲|知|不|没|也|又|还|就|都|才|再|却|便|只|先|后来|自己|终于|最|第|以|成|"
    "变|当|做|发|告|承认|坦白|揭|透露|献|牺牲|继承|收|买|卖|拥有|率|统|指|攻|击|出|进|上|下|十|二|三|四|五|六|七|八|九|一|"
    "早|每|曾|已|常|总|糊|读|写|唱|划|修|种|养|死|活|生|会|能|要|敢|肯|愿|拜|拔|剪|烧|毁|败|输|赢|胜|于|因|如|像|比|"
    "连|半|当|朝|沿|随|原|其|那|这|刚|立|把|匆|慢|忽|突"
)
# What is done by somebody: a short name before it, at the beginning of a phrase, is one.
DEEDS = (
    "加入|继承|失去|得到|找到|遇见|遇到|住在|背叛|率领|统治|教会|说|问|笑|哭|娶|嫁|拥有|成为|成了|走进|走出|离开|"
    "出生|去世"
)
_DENSE = re.compile(f"[{HAN}]")
_KANA = re.compile(r"[\u3041-\u30ff\uac00-\ud7af]")


def is_chinese(text: str) -> bool:
    """Return whether a text is mostly in Chinese characters, with neither kana nor Hangul."""
    letters = sum(mark.isalpha() for mark in text)
    return not _KANA.search(text) and 2 * len(_DENSE.findall(text)) > letters


def sort_of(name: str) -> Sort | None:
    """Return the kind of thing that a name or noun means, by its ending; None if unknown."""
    if re.search(rf"(?:{CALLINGS}|{TITLES}|{CHIEFS}|{KIN}|{SPOUSES})$", name):
        return "person"
    fitting = [
        (len(match[0]), sort)
        for sort, endings in ENDINGS.items()
        if (match := re.search(rf"(?:{endings})$", name))
    ]
    return max(fitting)[1] if fitting else None


def gender_of(word: str) -> str:
    """Return f or m for a word used only for one gender; else nothing."""
    return "f" if FEMALE.search(word) else "m" if MALE.search(word) else ""
