"""Finds firms and institutions in a sentence without capitals that a text does not contain.

A marker word shows them: the words before 銀行 or after شركة are a name, unless they say what kind of bank it
is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from workers.core.answers.spellings import TEXTS_KEPT

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々"
_STEM = 2  # characters that tell a firm from another
# Endings of names of firms and institutions that hardly anything else has.
_HAN_SIGNS = (
    "有限公司|公司|集团|集團|银行|銀行|大学|大學|医院|醫院|病院|中学|中學|小学|小學|学校|學校|学院|學院|学園|"
    "高等学校|高校|幼儿园|幼兒園|幼稚園|出版社|书店|書店|饭店|飯店|酒店|工务店|工務店|商店|製作所|酒造|商会|"
    "基金会|基金會|旅館|農園|園芸|造園|汽船|劇場|図書館|图书馆|圖書館|博物馆|博物館|美术馆|美術館|株式会社|有限会社|信用金庫|"
    "新聞社|报社|報社|製薬|製紙|紡績|重工|製鋼|物産|商事|鉱業|矿业|礦業"
)
# What names trades as well: of a firm only where the text has one with this sign.
_HAN_TRADES = (
    "建设|建設|建筑|建築|工业|工業|産業|新聞|食品|電機|鉄道|金属|金屬|化学|化學|電気|電器|电力|電力|航空|保険|保险|"
    "ホール|会館|會館|会馆|公園|公园|广场|廣場|スタジアム|体育館|体育馆|體育館|证券|證券|証券|運輸|运输|運送|物流|航运|航運|海運|水産|造船|製鉄|科技|能源|矿山|鉱山|工务|工務"
)
_HAN_SIGN = re.compile(f"{_HAN_SIGNS}|{_HAN_TRADES}")
_TRADE = re.compile(f"(?:{_HAN_TRADES})")
# What kinds of firms there are, and what characters no name of one has: where it is, what is done with it.
_HAN_KINDS = "|".join(
    """
    旗下 补贴 補貼 组成 組成 上述 兼任 规定 規定 任何 鼓励 鼓勵 刺激 督促
    引导 打击 打擊 保护 保護 惩罚 处罚 偿还 償還 欺骗 冒充 假冒 竞争 競爭
    打败 击败 擊敗 筹备 籌備 落户 落戶 入股 加盟 抵押 破产 破產 倒闭 停业
    停產 停产 招募 跳槽 求职 求學 求学 治疗 治療 就诊 就診 急诊 急診 门诊
    下列 下属 直属 类似 類似 相关 相關 有关 有關 无关 相邻 相鄰 不同 特定
    具体 具體 真正 唯一 首家 赔偿 賠償 游客 顾客 客户 乘客 病人 患者 学生
    學生 工人 居民 市民 村民 农民 法院 警方 官方 媒体 媒體 记者 总理 董事
    股东 股東 职工 債務 债务 当該 該当 救命 緊急 隣接 最寄 最大 提携 協力
    受入 搬送 入院 転院 先端 看護 短期 付近 旧制 官営 公営 国営 民営 私営
    民营 民營 民间 民間 商业 外国 外國 外資 外资 跨国 大型 小型 中型 巨型 本地 地方
    地元 当地 家族 造纸 钢铁 鋼鐵 鉄鋼 汽车 汽車 自動 石油 天然 电子 電子 軟體 软件
    网络 網路 医药 醫藥 化工 纺织 紡織 旅游 旅遊 地产 地產 环保 環保 广告 廣告 文化
    传媒 傳媒 综合 綜合 総合 儿童 兒童 小児 妇产 婦產 妇幼 专科 專科 専門 专门 專門
    中医 中醫 口腔 眼科 歯科 精神 康复 康復 重点 重點 寄宿 女子 男子 师范 理工 医科
    醫科 财经 政法 民族 音乐 音樂 体育 體育 职业 職業 技术 技術 高等 初级 初級 高级
    高級 普通 周边 周邊 近隣 周辺 著名 知名 有名 优秀 老牌 老舗 名門 新兴 新興 新型
    龙头 龍頭 上市 连锁 連鎖 五星 豪华 豪華 度假 温泉 城市 都市 社区 社區 地域 中央
    中部 开发 開發 開発 储蓄 儲蓄 信用 信託 世界 亚洲 亞洲 政府 教会 教會 慈善 野战
    動物 动物 宠物 救急 大手 大企 中堅 中小 系列 関連 取引 主要 海外 合作 合资 合資
    合弁 联合 聯合 子会 希少 非鉄 合成 道路 住宅 铁路 水利 基本 水力 火力 風力 风力
    原子 核能 机械 機械 传统 傳統 日用 冷凍 冷冻 健康 電力 电力 离开 成立 经过 經過
    其他 其它 另外 地区 地區
    """.split()  # noqa: SIM905 - a list of words reads best
)
_NO_CHINESE_NAME = re.compile(
    "[一二三四五六七八九十百千万两兩几幾〇零数數第年月同时時今昨翌毎次旧舊现現元前副私公国國市县縣県省"
    "区區町村乡鄉镇鎮立各両当當进進入离離附近旁边邊办辦购購买買卖賣租借贷貸捐赠贈访訪问問读讀教校院店"
    "厂廠社员員师師生长長曾已未刚剛因如若称稱认認负責责拥擁签簽订訂管营營业業选選设設计計施工承包找见"
    "見送派调調使需要想会會投资資服务務提供支持帮幫助受收付交建修造开開创創搬迁遷转轉移回与與考農农林"
    "军軍总總母分贵貴軽重橋桥最全新老小大整唯首起之喜欢歡爱愛怕等代表参參观觀控诉訴批评評谢謝委托託求"
    "允许許影响響促过過根据據依按照针針除括作变變改命示声聲宣布露指希决決拒绝絕反授聘雇僱靠毗赞讚扩擴"
    "拆退手效联聯连連抵走住用获獲失减減增些哪们們己以或还還后後随隨期属屬隶隸领領导導售闭閉终終双雙部"
    f"]|{_HAN_KINDS}"
)
# Where kana parts the words, fewer stand before a sign.
_NO_JAPANESE_NAME = re.compile(
    "[年月時同昨翌毎第数旧現副両]|今[年回日期後]|[市県町村国公私都府区道]立|[市県町村区国]内|各[地国]|"
    f"{_HAN_KINDS}"
)
# Between a name and a sign: 宏远(建设)集团, 海川大学(附属)医院.
_HAN_BETWEEN = re.compile(
    f"(?:{_HAN_SIGNS}|{_HAN_TRADES}|{_HAN_KINDS}|股份|控股|责任|責任|贸易|貿易|投资|投資|实业|實業|国际|國際|附属|附屬|付属|"
    "纪念|紀念|記念|中心|人民|第[一二三四五六七八九十]){1,8}$"
)
_KANA = re.compile(r"[\u3041-\u3096]")
_KATAKANA = re.compile("[ァ-ヶー]{2,}")
_RUN = re.compile(rf"[{_HAN}ァ-ヶー]+")
_BEFORE_NAME = re.compile(
    "[由在是的和与與及向给給从從到为為于於了将將把被对對让讓至自以其该該这這那此各每某本同家所间間座个個名位"
    "不也都并並请請叫说說就有没沒按据據跟归歸属屬用替随隨往去就说等又还還而或は]"
)
_STOCK = re.compile(rf"(?<![{_HAN}ァ-ヶー])(?:株式会社|有限会社|合同会社)(?P<name>[{_HAN}ァ-ヶー]{{2,8}})")


def lacking_han(said: str, text: str) -> Iterator[str]:
    """Yield the firms of a Chinese or Japanese sentence whose names the text lacks."""
    signed = _signed(text)
    for run in _RUN.finditer(said):
        for sign in _HAN_SIGN.finditer(run.group()):
            if _TRADE.fullmatch(sign.group()) and sign.group() not in signed:
                continue
            before = run.group()[: sign.start()]
            name = _name(before, said)
            stem = before[-_STEM:]
            if (name and name not in text) or (
                stem + sign.group() not in text and _is_near(stem, signed.get(sign.group(), ()))
            ):
                yield f"{name or stem}{sign.group()}"
    for match in _STOCK.finditer(said):
        name = match["name"]
        kana = _KATAKANA.match(name)
        if (kana.group() if kana else name[:_STEM]) not in text:
            yield name


def _is_near(stem: str, others: Iterable[str]) -> bool:
    """Return whether one of two characters differs from a name: 興和 for 興禾."""
    return len(stem) == _STEM and any(
        sum(one == two for one, two in zip(stem, other, strict=True)) == 1 for other in others
    )


def _name(before: str, around: str) -> str:
    """Return the two characters that name a firm before its trade and its marker; "" if there are none."""
    stem = _HAN_BETWEEN.sub("", before)
    is_japanese = _KANA.search(around) is not None
    if not is_japanese:
        stem = _BEFORE_NAME.split(stem)[-1]
    name = stem[-_STEM:]
    other = _NO_JAPANESE_NAME if is_japanese else _NO_CHINESE_NAME
    return name if len(name) == _STEM and not other.search(name) else ""


@lru_cache(maxsize=TEXTS_KEPT)
def _signed(text: str) -> dict[str, set[str]]:
    """Return the names that a text has before each marker."""
    found: dict[str, set[str]] = {}
    for run in _RUN.finditer(text):
        for sign in _HAN_SIGN.finditer(run.group()):
            if name := _name(run.group()[: sign.start()], text):
                found.setdefault(sign.group(), set()).add(name)
    return found


# Thai: no space parts a name from what follows it.

_THAI_SIGN = re.compile(
    r"(?P<sign>บริษัท|โรงเรียน|โรงพยาบาล|มหาวิทยาลัย|ธนาคาร|วิทยาลัย|โรงแรม|ส\u0e4d\u0e32นักพิมพ์|พิพิธภัณฑ์)\s?(?P<run>[\u0e01-\u0e2e"
    r"\u0e40-\u0e44][\u0e00-\u0e7f]{2,})"
)
_THAI_LEAST = 5  # letters of a name that the text must hold
_THAI_NO_FIRM = re.compile(
    unicodedata.normalize(
        "NFKC",  # as the text is: the vowel am is two letters there
        r"(?:ก่อ|นำ|ประสบ|ยินดี|เห็น|คืน|กลาย|พัฒนา|พยายาม|สามารถ|ตกลง|ชี้|อ้าง|หวัง|เชื่อ|ระบุ|เผย|"
        r"ยก|ชวน|เรียก|ตอบ|ถาม|มอบ|แบ่ง|แจก|แก้|เขียน|อ่าน|เลือก|หา|ค้น|พา|ไป|มาจาก|มาถึง|กลับ|ถึง|"
        r"ผ่าน|เสีย|ขาด|เหลือ|เกิด|เจอ|รู้|ทราบ|สั่ง|ห้าม|ปฏิเสธ|ยุติ|สูญ|ล้ม|ละลาย|ฟื้น|แข่ง|คง|"
        r"ปลูก|เลี้ยง|กิน|ดื่ม|ใส่|โอน|เช่า|เปลี่ยน|แนะ|นิยม|โฆษณา|กำหนด|กำไร|รายได้|หลัก|ยักษ์|"
        r"เครือ|ญี่ปุ่น|จีน|อเมริกัน|เยอรมัน|ตัดสิน|วิจัย|ศึกษา|ทดสอบ|ทดลอง|ตรวจ|สำรวจ|ลูกค้า|"
        r"พนักงาน|พัง|ไหม้|ไฟไหม้|น้ำท่วม|โกง|ละเมิด|เซ็น|ทำ|สนใจ|ชำนาญ|เชี่ยว|โดน|เจรจา|หารือ|"
        r"ประชุม|ฉลอง|ครบ|คุ้ม|เฉพาะ|ทั่วไป|สนาม|เทคนิค|อาชีว|กีฬา|ดนตรี|สายการ|เหมือง|ปูน|"
        r"นี้|นั้น|ที่|แห่ง|ของ|ใน|และ|หรือ|กับ|จะ|ได้|มี|เป็น|คือ|ไม่|ดัง|ก็|ซึ่ง|โดย|จาก|ให้|ว่า|ต้อง|เคย|กำลัง|ยัง|"
        r"ขาย|ซื้อ|เปิด|ปิด|สร้าง|จ้าง|ทำ|ผลิต|รับ|ส่ง|เริ่ม|จัด|ตั้ง|ลง|ขึ้น|เข้า|ออก|อยู่|ถูก|ใช้|ต่าง|เอกชน|รัฐ|ของรัฐ|"
        r"เล็ก|ใหญ่|ใหม่|เก่า|แม่|ลูก|ย่อย|ร่วม|เดียว|อื่น|หลาย|ทุก|สอง|สาม|หนึ่ง|ประจำ|ประถม|มัธยม|อนุบาล|ชุมชน|ชุมนุม|"
        r"ท้องถิ่น|พาณิชย์|ประกัน|ก่อสร้าง|รับเหมา|ขนส่ง|การบิน|ผู้|นำเข้า|ส่งออก|มหาชน|จำกัด|เพื่อ|เมื่อ|แล้ว|คู่|คน|นัก|ครู|"
        r"กล่าว|แจ้ง|ประกาศ|บอก|พบ|คาด|เสนอ|สนับสนุน|ช่วย|ย้าย|ขยาย|เพิ่ม|ลด|จ่าย|ชำระ|ลงทุน|บริการ|บริหาร|ดำเนิน|ดูแล|"
        r"สัตว์|เด็ก|แพทย์|รักษา|ศิลป|ไทยที่|ด้วย|ต่อ|อีก|เอง|ทั้ง|ชื่อ|ระดับ|ขนาด|ประเภท|ด้าน|สาขา|ปรับ|ซ่อม|เก็บ|คิด|"
        r"ชั้น|ยา|น้ำ|ไฟฟ้า|กลาง|ออม|นานาชาติ|ต่างชาติ|วัด|ทหาร|ตำรวจ|หญิง|ชาย|สอน|เรียน|แพ้|ชนะ|ร้อง|ฟ้อง|ยืน|ยอม|อนุ|ตก|"
        r"ปล่อย|วาง|หยุด|เลิก|เติบโต|โต|กู้|ขอ|ถือ|แต่|แบบ|ปี|วัน|ราว|กว่า|เกือบ|ประมาณ|แถว|ใกล้|หลัง|ก่อน|ระหว่าง|ตาม|สำหรับ|"
        r"รวม|นอก|ยุค|เพราะ|ถ้า|หาก|จึง|พร้อม|เพียง|เท่า|มาก|น้อย|ดี|ชั้นนำ|เหล่า|พวก|บาง|ราย|เจ้า|ติด|จด|แสดง|รายงาน|ควบคุม)",
    )
)


def lacking_thai(said: str, text: str) -> Iterator[str]:
    """Yield the firms of a Thai sentence whose names the text lacks."""
    for match in _THAI_SIGN.finditer(said):
        run = match["run"]
        if begins_no_thai_name(run):
            continue
        least = min(len(run), _THAI_LEAST)
        if run[:least] in text and not _is_cut(run, match["sign"], text):
            continue
        yield f"{match['sign']}{run}"


def begins_no_thai_name(run: str) -> bool:
    """Return whether letters after a title or a marker continue with a word that does not begin a name."""
    return _THAI_NO_FIRM.match(run) is not None


def _is_cut(run: str, sign: str, text: str) -> bool:
    """Return whether a text contains a name only as the beginning of another one of its kind."""
    shared = next((end for end in range(len(run), 0, -1) if run[:end] in text), 0)
    names = [match["run"] for match in _THAI_SIGN.finditer(text) if match["sign"] == sign]
    like = [name for name in names if name.startswith(run[:shared])]
    # A vowel or a tone is of the letter before it: the two names part within a word.
    return bool(like) and any(
        shared < len(name) and shared < len(run) and _within_syllable(run, name, shared) for name in like
    )


def _within_syllable(run: str, name: str, shared: int) -> bool:
    return any(re.match(r"[\u0e30-\u0e3a\u0e47-\u0e4e]", word[shared]) is not None for word in (run, name))


# Arabic, Hebrew and Hindi


_SIGNS = {
    "ar": re.compile(r"[وفبلك]{0,2}(?:شركة|مدرسة|مستشفى|جامعة|بنك|مصرف|معهد|فندق|صحيفة|متحف|نادي)"),
    "he": re.compile(
        r"[ובלמשכ]{0,2}(?:חברת|אוניברסיטת|מכללת|הוצאת|קבוצת)|[ומש]?(?:בנק|מוזיאון|מלון|תיאטרון)"
    ),
    "hi": re.compile(r"(?:कंपनी|कम्पनी|विद्यालय|महाविद्यालय|विश्वविद्यालय|बैंक|अस्पताल|होटल|समूह|प्रकाशन)"),
}
_HEBREW_HOUSE = re.compile(r"[ובלמשכ]{0,2}בית")
_HEBREW_HOUSES = ("ספר", "חולים", "קפה", "כנסת")
_KINDS = {
    "ar": """
        طيران أدوية دواء بناء تشييد تأمين نفط غاز كهرباء ماء مياه اتصالات نقل شحن تجارة صناعة زراعة
        سياحة أغذية
        غذاء إنتاج توزيع مقاولات استثمار عقارات برمجيات تقنية خدمات إنشاءات ملاحة سفن سيارات أسمنت
        حديد صلب مدينة
        قرية حي منطقة دولة بلد بلدية حكومة شعب أطفال نساء ولادة قلب عيون جراحة طوارئ بنات بنين جيش
        أم قابضة كبرى
        كبيرة صغيرة جديدة قديمة خاصة عامة واحدة أخرى أول أولى ثاني ثانية جديد قديم كبير صغير خاص
        عام واحد آخر
        معروف معروفة مشهورة رائدة ناشئة تابعة تابع مالكة مالك منفذة مختصة كلها نفسها نفسه ذاتها
        ذاته مدرسين طب هندسة
        علوم فنون آداب قرن عام سنة شهر أسرة عائلة مجاورة مجاور قريبة قريب جراح
    """,
    "he": """
        תעופה בנייה בניה ביטוח תרופות מזון תקשורת תוכנה הייטק טכנולוגיה אחזקות השקעות נדל"ן
        ספנות הסעות תחבורה חשמל מים
        גז נפט אנרגיה ייעוץ שיווק ייצור הפקות אבטחה ניקיון שיפוצים כוח אדם בת אם חדש חדשה גדול
        גדולה קטן קטנה פרטי
        פרטית ציבורי ציבורית מקומי מקומית ממשלתי ממשלתית יסודי תיכון דתי ממלכתי אזורי ישן ותיק אחד
        אחת אחר אחרת זה זו
        זר זרה מסחרי מרכזי לאומי גם לא כבר רק עוד יותר מכובד מוביל מובילה שכונתי כללי פסיכיאטרי
        שיקומי קבלנית קבלן
        לבנות לבנים למשכנתאות שבו שבה מיוחד קבלנות
    """,
    "hi": """
        मरीज मरीजों रोगी लोग लोगों छात्र छात्रा बच्चे बच्चों डॉक्टर ग्राहक किसान महिला महिलाएँ
        कर्मचारी शिक्षक पुलिस
        सरकार मजदूर श्रमिक जनता निवासी अधिकारी मंत्री निदेशक प्रधानाचार्य अध्यक्ष मालिक ऋण पैसा रकम
        राशि इलाज शाखा
        जिसमें जहाँ सुबह शाम रोज अक्सर हमेशा कभी शायद बंद खुला सब सारे सारा बहुत काफी ज्यादा सबसे
        विशेष एकमात्र
        सरकारी निजी बड़ी बड़ा बड़े छोटी छोटा छोटे नया नई नये नए पुराना पुरानी पुराने स्थानीय विदेशी
        राष्ट्रीय अंतरराष्ट्रीय प्राथमिक
        माध्यमिक उच्च निर्माण बीमा दवा तेल बिजली सहकारी ग्रामीण केंद्रीय कन्या बालिका आवासीय आदर्श
        पास दूसरे दूसरी अन्य अपने अपनी
        उसी इसी यही वही कई सभी हर प्रत्येक किसी कुछ पहला पहली पहले तीन चार पाँच जिला नगर गाँव शहर
        कल आज बाद फिर अब यहाँ वहाँ नहीं
        केवल सिर्फ हुआ वाला वाली एक दो यह वह इस उस ये वे इन उन उनके उनकी उसके उसकी इसके इसकी जिस
        जिला मुख्य पूरा पूरे पूरी व्यावसायिक
        स्टार्टअप प्रसिद्ध मशहूर अग्रणी निकट सामने लिए साथ द्वारा तथा एवं या लेकिन क्योंकि तब जब
        दान धन नाम भवन
    """,
}
_HINDI_PLACE = re.compile(
    "(?!महानगर|उपनगर).{2,}(?:पुर|पुरम|पुरी|नगर|ग\u0922\u093c|ाबाद|गंज|वा\u0921\u093cा|पट्टनम)"
)


def is_of_firm(language: str, words: Sequence[str], place: int, their: Sequence[str]) -> bool:
    """Return whether a word, missing in a text, names a firm, an institution or, in Hindi, a place.

    Args:
        language: Arabic, Hebrew or Hindi.
        words: words of the sentence.
        place: position of the word among them.
        their: words of the text.
    """
    word = words[place]
    if language == "hi" and _HINDI_PLACE.fullmatch(word):
        return True
    if language not in _SIGNS or word.removeprefix("ال") in _kinds(language):
        return False
    if language == "hi":
        after = words[place + 1] if place + 1 < len(words) else ""
        return _SIGNS["hi"].fullmatch(after) is not None and after in their
    before = words[place - 1] if place else ""
    if language == "ar":
        return _SIGNS["ar"].fullmatch(before) is not None and _names_arabic(word)
    house = before in _HEBREW_HOUSES and place > 1 and _HEBREW_HOUSE.fullmatch(words[place - 2])
    return bool(house or _SIGNS["he"].fullmatch(before)) and not word.startswith(("ה", "ו", "ש"))


def _names_arabic(word: str) -> bool:
    if word.startswith("ال"):
        return not word.endswith(("ي", "ية"))
    return not (
        word.startswith(("ت", "ي", "و", "ف", "ب", "ل", "ك"))
        or word.endswith(("ت", "ي", "ية"))
        or (len(word) > len("دجلة") and word.endswith("ة"))  # as adjectives do
    )


@cache
def _kinds(language: str) -> frozenset[str]:
    return frozenset(_KINDS[language].split())
