"""Words for replies that say nothing about the world."""

from __future__ import annotations

import re

# Whoever speaks or is spoken to, and what is asked.
SPEAKERS = frozenset(
    """
    i i'm i'd i'll i've we we're we'd we'll we've you you're you'd you'll you've me us my your our yours
    graph collection database documents document assistant tool tools schema data there there's let's
    let knowledge one here ask asking ich wir sie mir je nous vous yo
    """.split()  # noqa: SIM905 - a list of words reads best
)
# What is done in a conversation: about these a topic can be named.
_CONVERSING = """
    answer answers answering answered ask asks asking asked help helps helping assist assists assisting
    tell telling talk talking chat chatting know knowing learn learning discuss explain provide provides
    give question questions query queries information info details say speak look looking find search
    searching curious interested interest focus focused specialise specialised specialize specialized
    limited limit here's equipped designed able know-how support inform guide need needs want wonder
    wondering like
    """.split()  # noqa: SIM905
# Behind them stands a topic.
ABOUT = frozenset(
    "about on up regarding concerning with of related for in covering".split()  # noqa: SIM905
)
# They take a topic as their object.
_NAMING = """
    explore exploring discover discovering discuss discussing find finding recommend browse browsing
    navigate cover covers contain contains hold holds include includes search searching give provide
    offer handle hear understand
    """.split()  # noqa: SIM905
NAMING = frozenset(_NAMING)
CONVERSING = frozenset((*_CONVERSING, *_NAMING))
_GREETING = """
    hello hi hey heya greetings good morning afternoon evening day night howdy welcome thanks thank thx
    cheers sorry pardon goodbye bye meet dear
    """.split()  # noqa: SIM905
GREETING = frozenset(_GREETING)
TALK = (
    CONVERSING
    | GREETING
    | SPEAKERS
    | frozenset(
        """
    apologies apologise apologize afraid regret unfortunately worries worry problem trouble bother
    please glad happy happily pleased pleasure delighted nice great wonderful lovely fine alright right
    sure yes yeah yep okay ok well course certainly absolutely definitely gladly indeed excellent
    perfect awesome excited honoured honored kind kindly friendly welcome appreciate appreciated
    grateful help helped helpful assistance hand answer reply respond responding response replies
    request requests topic topics subject subjects matter scope range area areas field purpose kinds
    type types sort sorts anything something everything nothing else thing things more further next
    other another again soon later now today tonight tomorrow moment minute time times anytime whenever
    always forward back around luck weekend week rest care enjoy enjoyed hope wish wishes merry new year
    see talk talked say said saying mean meant call name repeat rephrase clarify clear specific precise
    understand understood catch get got go going come came start begin continue try trying keep take use
    using make made let leave free feel feeling feels ready available lets stop wait hold want wanted
    would'd like prefer need wonder mind happen think thought idea ideas suggest suggestion suggestions
    example examples instance instead above below earlier already before previous previously
    conversation chat session discussion message messages text texts graph graphs collection database
    knowledge data documents document file files schema tools tool system service program machine
    computer software bot ai artificial intelligence language model assistant virtual digital hopline
    feelings emotions what's how's that's it's here's don't doesn't isn't aren't can't cannot couldn't
    wouldn't won't haven't didn't not no able unable only just simply really very much quite so too
    maybe perhaps probably hopefully still yet even ever never feedback long big little bit lot lots
    many couple may might shall must ought gonna wanna us whether if though therefore either neither
    without within outside beyond since because because's none via across per ahead away along together
    currently unsure certain day days pick choose looks sounds sound look lookup looked doing does am
    greet greeting greetings friend everyone everybody folks all team how're who're based present
    allowed possible impossible hard easy easily quick quickly best better far confusion confused
    confusing misunderstanding misunderstand misunderstood inconvenience delay mistake mistakes error
    wrong useful useless access reach congratulations congrats seems seem sweet dreams dream sleep
    polite manners regards sincerely compliment compliments kindness patience patient concern concerns
    gratitude thankful fun joy enjoyable lucky birthday christmas easter holiday holidays bless safe
    stay well-being joke jokes silly funny smart clever weird interesting honest honestly frankly
    personal personally opinion opinions preference preferences favourite favorite names memory capable
    capability capabilities abilities ability function functions functionality feature features
    permission permitted restricted dedicated devoted competence expertise domain context content
    contents source sources evidence fact facts result results record records entry entries list lists
    item items overview summary summarise summarize describe description detail detailed details
    explanation specifically particular particularly relevant related regarding unrelated general
    generally broader narrow short shorter longer brief briefly different differently similar same way
    ways manner form words word wording sentence phrase languages english chinese translate translation
    spelling spell correct correctly correction check checking double retry attempt assume assumed
    intend intended sense unclear vague ambiguous exactly precisely possibly likely unlikely supposed
    waiting await awaiting hearing heard listen listening read reading write writing typed click started
    beginning end ending finish finished done complete completed proceed continued offer offers offered
    serve serving services assisted guide guidance guides contact staff administrator user users visitor
    guest sir madam mate buddy pal cool super fantastic amazing brilliant sweetheart marvellous
    marvelous terrific splendid pretty hmm oh ah aha wow oops whoops ha haha um ta ciao yo hiya
    toodle-oo ttyl btw fyi asap hallo guten tag morgen abend danke bitte gern gerne geschehen willkommen
    tschüss leider nicht kein keine nur auf wiedersehen bonjour bonsoir salut merci rien avec plaisir je
    vous en prie au revoir bienvenue pas ne aucun seulement hola buenos buenas días tardes noches
    gracias nada adiós bienvenido sólo solo não buongiorno grazie prego olá obrigado obrigada bom dia
    tchau hoi dank graag gedaan apenas
    """.split()  # noqa: SIM905
    )
)
DECLINING = frozenset(
    """
    not no cannot unable can't don't doesn't isn't aren't couldn't haven't won't didn't nothing none
    neither unsure nor nicht kein keine pas aucun não
    """.split()  # noqa: SIM905
)
# With them a topic would become a statement.
STATING = frozenset(
    """
    is are was were am be been being has have had having do does did will would can could should may
    might must that which who whom whose because since than when while if not never always by isn't
    aren't wasn't weren't doesn't don't didn't
    """.split()  # noqa: SIM905
)

# One of them, or a speaker, stands in a clause that says what is: it is said of the conversation.
POINTING = SPEAKERS | frozenset(
    """
    it it's its this that that's these those what what's how which who anything something everything
    nothing question questions answer request topic wrong problem
    """.split()  # noqa: SIM905
)

_HAN = frozenset(
    """
    你 您 我 我们 咱们 大家 各位 朋友 您们 你们 他 她 它 它们 自己 本 本人 用户 你好 您好 你们好 大家好
    哈喽 嗨 嘿 早 早安 早上好 上午好 中午好 下午好 晚上好 晚安 欢迎 光临 欢迎您 回来 使用 谢谢 谢谢您
    谢谢你 多谢 感谢 十分感谢 非常感谢 感激 不用 不必 不用谢 不客气 别客气 客气 没关系 没事 没事儿
    没问题 不要紧 小事 小事一桩 应该的 应该 哪里 哪里哪里 过奖 过奖了 夸奖 鼓励 支持 理解 耐心 反馈 建议
    信任 关注 配合 抱歉 很抱歉 对不起 不好意思 遗憾 见谅 谅解 原谅 打扰 麻烦 请 请问 请您 请稍等 稍等
    稍候 等 一下 一会儿 片刻 再见 拜拜 回头见 下次见 明天见 待会儿见 改天见 后会有期 再聊 下次再聊 慢走
    保重 下次 期待 祝 祝您 祝你 愉快 开心 快乐 顺利 一切顺利 幸福 健康 平安 如意 生活 工作 学习 好运
    新年 节日 周末 假期 美好 一天 今天 今晚 明天 现在 目前 刚才 刚刚 之前 以前 先前 上面 前面 以上 以下
    下面 随时 任何时候 时候 时间 以后 后 早晨 夜晚 心情 好心情 好的 好 好吧 好啊 好呀 太好了 太棒了 很好
    真好 不错 棒 行 可以 当然 当然可以 没错 对 嗯 是的 明白 明白了 知道了 了解了 收到 清楚 乐意 很乐意
    乐意效劳 效劳 荣幸 很荣幸 高兴 很高兴 希望 愿意 喜欢 认识 见到 遇到 能 能够 会 可 想 想要 要 需要 需
    必要 愿 打算 如果 如 若 假如 要是 的话 只要 只 仅 仅仅 只能 只是 仅能 帮 帮您 帮你 帮助 帮忙 帮到
    帮上 帮得上 帮不了 帮不上 忙 以便 便于 方便 协助 服务 为 为您 为你 给 给您 向 替 让 使 把 跟 和 与
    或 或者 以及 及 还是 还 还有 也 都 就 又 再 再次 重新 更 更多 更好 最 很 非常 十分 特别 真 真的 太
    挺 比较 尽力 尽量 尽管 尽快 努力 继续 开始 马上 立即 立刻 直接 一起 帮您查 试试 试 试着 看 看看 看到
    看一下 听 听到 听懂 看懂 懂 说 说说 说明 说一遍 一遍 一次 告诉 告知 讲 讲讲 聊 聊聊 聊天 谈 谈谈
    交流 沟通 讨论 提问 发问 问 问我 提 提出 提供 提到 提及 问题 疑问 疑惑 困惑 回答 解答 答 答案 答复
    回复 回应 解释 介绍 说清楚 具体 详细 详细地 清楚地 换 换个 换一个 换一种 说法 方式 方法 话题 主题
    内容 信息 消息 资料 数据 文档 文件 文本 知识 知识库 图谱 知识图谱 数据库 集合 工具 系统 程序 软件
    机器 机器人 助手 助理 人工智能 智能 模型 语言 语言模型 大模型 对话 会话 谈话 功能 能力 权限 范围
    范围内 范围之内 范围之外 之外 以外 之内 以内 领域 方面 部分 类型 种类 相关 有关 关于 针对 涉及 超出
    超出了 不在 不属于 不属 查 查找 查询 查到 搜索 搜 检索 寻找 找 找到 找出 探索 发现 浏览 推荐 选择
    想知道 知道 了解 了解到 感兴趣 兴趣 好奇 想法 意思 指 指的 是 不是 是否 有 没有 没 未 不 不能 无法
    没法 不会 不可 不可以 不知道 不清楚 不了解 不确定 不太 不够 不到 别 别的 其他 其它 另外 另 任何 什么
    哪些 哪个 哪位 哪方面 哪一 谁 怎么 怎样 怎么样 如何 为什么 几 多少 吗 呢 吧 啊 呀 哦 哈 啦 嘛 哟 了
    的 地 得 着 过 来 去 到 在 于 从 由 以 按 用 上 中 里 内 下 这 那 这里 那里 这儿 此 该 这个 那个
    这些 那些 这样 那样 这方面 这类 此类 一 一个 一些 一点 个 些 点 位 件 条 项 种 类 次 事 事情 事儿
    东西 一切 所有 全部 每 每天 时 地方 之 所 而 且 而且 并 并且 但 但是 不过 可是 然而 因为 因此 所以
    由于 虽然 那么 然后 最后 首先 接下来 接着 此外 例如 比如 譬如 等等 进一步 进一步的 进行 作为 作 做
    当 成为 属于 包含 包括 记载 收录 涵盖 保存 存有 随便 欢迎随时 尽管问 放心 注意 记得 请放心 抱有 关心
    体谅 描述 表述 表达 叙述 做个好梦 好梦 带来 造成 不便 之处 专门 专注 专注于 专职 暂时 处理 请求 要求
    需求 有需要 联系 联络 告别 幽默 风趣 有趣 可爱 聪明 厉害 哈哈 呵呵 嘿嘿 辛苦 辛苦了 休息 好好 照顾
    加油 恭喜 祝贺 生日快乐 新年快乐 节日快乐 万事如意 心想事成 早点 睡 慢慢来 不急 别急 别担心 担心
    没错误 误会 误解 混淆 弄错 搞错 搞混 出错 错误 疏忽 失误 改正 更正 纠正 重复 换句话说 简单 简单地说
    简短 概括 总结 总的来说 一般 通常 一定 肯定 确定 确认 核实 检查 仔细 认真 准确 准确地 明确 清晰 模糊
    含糊 含义 意图 意见 看法 观点 感受 感觉 情感 偏好 名字 叫 称呼 怎么称呼 身份 虚拟 程序员 开发 设计
    训练 用来 用于 旨在 主要 职责 任务是 任务 目的 目标 用途 服务对象 擅长 善于 负责 回到 返回 转到 切换
    选 选项 哪部 哪本 哪一部 哪一位 哪一个 部 本书 位置 名 段 句 句话 字 词 关键词 关键字 输入 写 写下
    打字 发送 发 发给 收 收到了 等待 等您 恭候 倾听 陪 陪您 陪伴 享受 度过 愉快的 美好的 轻松 放松 好玩
    祝福 祝愿 衷心 由衷 诚挚 热情 热烈 亲爱的 先生 女士 老师 同学 客人 朋友们 伙伴 没什么 没啥 啥 咋
    嗯嗯 哎呀 唉 哎 噢 喔 呦 哇 真是 实在 确实 的确 其实 坦白说 老实说 说实话 恐怕 可能 也许 或许 大概
    似乎 好像 看来 看起来 看样子 应该是 仍 仍然 依然 依旧 始终 一直 总是 永远 从不 并非 并不 并没有 毫无
    无 无关 没关 有用 有帮助 有所 所帮助 帮助到 有幸 幸会 久仰 久等 久等了 让您久等 请多关照 关照 指教
    包涵 多多包涵 海涵 请见谅 见笑 献丑 彼此 彼此彼此 客套 同乐 こんにちは こんばんは ありがとう
    ございます どういたしまして さようなら 何 を お 知り たい です か
    """.split()  # noqa: SIM905
)
HAN_SPEAKERS = frozenset(
    "我 我们 您 你 你们 咱们 图谱 知识图谱 文档 资料 数据 数据库 知识库 工具 系统 这里 集合 助手".split()  # noqa: SIM905
)
HAN_DECLINING = frozenset(
    "没有 没 未 不 不能 无法 没法 不会 不可 不可以 不知道 不清楚 不了解 不确定 不到 不在 不属于".split()  # noqa: SIM905
)
HAN_ABOUT = frozenset("关于 有关 针对 涉及".split())  # noqa: SIM905
# Behind them stands a topic.
HAN_TOPIC = HAN_ABOUT | frozenset(
    """
    与 和 跟 对 查 查找 查询 搜索 检索 寻找 找 找到 找出 探索 发现 浏览 推荐 了解 讨论 聊 聊聊 谈 谈谈
    介绍 问 回答 解答 涵盖 包含 包括 收录 查到 限于 仅限于 局限于 提供 比如 例如 哪部 哪一部 哪位 哪本
    哪个 处理 哪些 什么 任何 其他 更多
    """.split()  # noqa: SIM905
)
HAN = _HAN | HAN_TOPIC | HAN_SPEAKERS | HAN_DECLINING
HAN_TOPIC_ENDS = re.compile(
    r"的?(?:问题|内容|信息|资料|数据|知识|事|话题|疑问|方面|相关|有关|领域|文档|感兴趣|等|吗|呢|吧)|的$"
)
HAN_OUTSIDE = re.compile(r"(?:并)?(?:超出|不在|不属于|没有|未被|未收录|不包含在)")

# A yes or no: it tells of the world what was asked of the world.
VERDICTS = frozenset(
    """
    yes yeah yep no nope sure indeed right correct true certainly absolutely definitely never always not
    of course it is was does did they he she i think so probably perhaps maybe very surely
    you you're are am that that's it's this the answer exactly quite sure positive unfortunately
    """.split()  # noqa: SIM905
)
# Who talks, or what is asked and answered: a sentence with one of them is of the conversation.
TALKING = re.compile(
    r"\b(?:i|me|my|we|us|our|you|your|ask|outside|beyond)\b"
    r"|\b(?:question|topic|request|subject|information|graph|collection|database|documents?)\b.{0,200}"
    r"\b(?:no|not|outside|beyond|unclear|only|about)\b",
    re.IGNORECASE,
)
# Openings of a reply before its content.
OPENING = re.compile(
    r"^(?:(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day|night)|welcome"
    r"|thanks|thank you|thx|cheers|sorry|pardon|(?:my )?apologies|unfortunately|goodbye|bye"
    r"|i(?:'m| am) (?:very |so |really )?(?:sorry|afraid))"
    r"(?: (?:there|again|all|everyone|so much|very much|a lot|for (?:asking|your question)"
    r"|(?-i:[A-Z][a-z]+)))?"
    r"(?:[\s,.!:;–—-]+|$)(?:but\b\s*)?)+",
    re.IGNORECASE,
)
# They tell of something, unless what follows is of the conversation.
TELLING = re.compile(
    r"\b(?:that|this|it|these|those|answers?|he|she|they)(?:'s|'re| is| are| was| were)\b", re.IGNORECASE
)
OF_TALK = re.compile(
    r"\b(?:i|me|my|we|us|our|you|your|outside|beyond|unclear|graph|collection|database|documents?)\b",
    re.IGNORECASE,
)
# Somebody says what he thinks of it, or a sentence ends with a verdict.
HOLDING = re.compile(
    r"\bi(?:'d| would| can only)? (?:think|guess|assume|suppose|say)\b"
    r"|\b(?:yes|no|right|correct|true|wrong)\W*$",
    re.IGNORECASE,
)
HAN_HOLDING = re.compile(r"(?:知道|觉得|认为|想|确定|肯定)是")
PRONOUN_ONE = re.compile(
    r"\b(?:this|that|another|new|different|no|any|which|the|each|every|some)(?: \w+)? one\b"
    r"|\bone (?:of|more|moment|second|at)\b",
    re.IGNORECASE,
)
# The graph contains no movies.
NONE_OF = re.compile(r"(?:\b(?:no|not|nor|without|lacks?|zero)\b|n't\b)(?P<rest>[^.;:!?]*)", re.IGNORECASE)
# By what name somebody calls himself.
INTRODUCED = re.compile(
    r"(?i:\b(?:i'm|i’m|i am|name is|name's|name’s|call me|this is)) ([^\W\d_]+(?: [^\W\d_a-z][^\W\d_]*)*)"
)
ADDRESSED = re.compile(r"\b(?:you|your|yours)\b|[你您]", re.IGNORECASE)
ASKING = re.compile(
    r"[?？吗]|\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE
)
HAN_POINTING = re.compile(r"[我您你这那此该本谁哪]|什么|图谱|文档|资料|问题|是的|是否|不是$|^是$|还是|抱歉")
HAN_TALKING = re.compile(
    r"[我您你请]|图谱|文档|资料|数据|知识|问题|话题|信息|范围|回答|帮|无法|不知道|不清楚|不了解|抱歉|对不起"
    r"|不好意思|遗憾|谢|欢迎|早上好|晚上好|再见|不客气"
)
HAN_NONE = re.compile(
    r"(?:图谱|文档|资料|数据库?|知识库|集合|这里)[^，。]{0,4}(?:没有|不含|不包含|不包括)"
    r"(?![^，。]{0,40}(?:信息|资料|内容|数据|关于|有关|相关|答案|问题|记载))[^，。！!]+"
)
HAN_WANTING = re.compile(r"[想请哪]|可以|能否")
HAN_PLACE = re.compile(
    r"(?:这个|这些|该|本|此|图谱|文档|资料|数据库?|知识库|集合|里面?|中|内|各种|各类|其他|所有|任何|一些)+"
)
HAN_ASSISTANT = re.compile(
    r"(?<=[您你个名位]的)[^的是有]{1,6}(?=助手|助理)|(?<=[个名位])[^的是有]{1,6}(?=助手|助理)"
)
HAN_ASKING = re.compile(
    r"问(?P<question>[^\d]{0,8}(?:谁|什么|哪|多少|几|怎么|如何|是否)[^\d]{0,8}|[^\d]{1,12}吗)$"
)
ASKED_WITH = frozenset("how who what which where when whether if".split())  # noqa: SIM905
