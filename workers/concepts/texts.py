"""Messages about a concept map that code writes, in the map's language."""

from __future__ import annotations

from typing import Final

from workers.core.concepts.maps import is_chinese

PHRASES: Final[dict[str, tuple[str, str]]] = {
    # Why a relation was dropped; at most 50 characters.
    "itself": ("it is the core concept itself", "与核心概念相同"),
    "there": ("the map has it already", "图中已有该概念"),
    "refused": ("it was judged invalid before", "此前已判定无效"),
    "discipline": ("not from a discipline asked for", "不属于所要求的学科"),
    "same_discipline": ("another of its discipline was offered", "同一学科已有一个概念"),
    "language": ("not in the language of the concept", "与核心概念的语言不一致"),
    "surplus": ("more than were asked for", "超出所要求的数量"),
    "malformed": ("malformed, also after a repair", "格式错误，修复后仍然无效"),
    "unchecked": ("could not be checked", "未能核查"),
    "unreached": ("there was no time to check it", "时间不足，未能核查"),
    "beyond": ("only the {n} strongest are checked again", "只重新核查最强的 {n} 条关系"),
    "doubtful": ("doubtful", "存疑"),
    "no_reason": ("judged invalid without a reason", "被判定无效，未给出理由"),
    # How a map came to be.
    "valid": (
        "“{concept}” is a concept of {domain}. {definition}",
        "“{concept}”是{domain}领域的概念。{definition}",
    ),
    "invalid": (
        "“{concept}” is not a concept to grow a map from: {reason}",
        "“{concept}”不能作为核心概念：{reason}",
    ),
    "unvalidated": ("“{concept}” could not be validated: {why}", "未能校验“{concept}”：{why}"),
    "read": (
        "The database holds {n} relations of it, in version {version}.",
        "数据库中有 {n} 条关系，版本为 {version}。",
    ),
    "read_nothing": ("The database holds no map of it yet.", "数据库中还没有它的概念图。"),
    "unread": ("What the database holds could not be read: {why}", "未能读取数据库：{why}"),
    "kept": ("{name}: still valid.", "{name}：仍然有效。"),
    "kept_by_hand": ("{name}: as {by} left it.", "{name}：保留 {by} 的修改。"),
    "removed": ("{name}: removed, because {reason}.", "{name}：已移除，原因：{reason}。"),
    "abnormal": ("{name}: marked abnormal, because {reason}.", "{name}：标记为异常，原因：{reason}。"),
    "not_checked": ("{name}: kept unchecked, because {reason}.", "{name}：未核查而保留，原因：{reason}。"),
    "offered": (
        "Round {round}: {wanted} relations to other disciplines were asked for, {n} were offered: {names}.",
        "第 {round} 轮：请求 {wanted} 条跨学科关系，得到 {n} 条：{names}。",
    ),
    "offered_none": (
        "Round {round}: {wanted} relations to other disciplines were asked for, none of use was offered.",
        "第 {round} 轮：请求 {wanted} 条跨学科关系，没有得到可用的结果。",
    ),
    "not_offered": ("Round {round}: nothing could be expanded: {why}", "第 {round} 轮：未能扩展：{why}"),
    "dropped": ("{name}: dropped, because {reason}.", "{name}：已舍弃，原因：{reason}。"),
    "accepted": (
        "{name} ({domain}): valid, strength {strength} of 5. {relation}",
        "{name}（{domain}）：有效，强度 {strength}/5。{relation}",
    ),
    "saved": ("Saved as version {version}: {changes}.", "已保存为版本 {version}：{changes}。"),
    "unchanged": (
        "Nothing changed; the map stays at version {version}.",
        "没有变化，概念图保持版本 {version}。",
    ),
    "unsaved": ("Nothing was saved: {why}", "没有保存：{why}"),
    "nothing_to_save": ("there is nothing valid to save.", "没有可保存的有效关系。"),
    "shown": (
        "Of {n} relations the {shown} strongest are shown: {names}.",
        "共 {n} 条关系，显示最强的 {shown} 条：{names}。",
    ),
    "added": ("{n} added", "新增 {n}"),
    "changed": ("{n} changed", "修改 {n}"),
    "restored": ("{n} restored", "恢复 {n}"),
    "deleted_n": ("{n} removed", "移除 {n}"),
    "abnormal_n": ("{n} marked abnormal", "标记异常 {n}"),
    "defined": ("the concept defined", "定义核心概念"),
    # Why a map is not whole.
    "fewer": (
        "Only {n} of {wanted} relations are valid (rounds: {rounds}).",
        "只有 {n} 条关系有效，少于 {wanted} 条（轮数：{rounds}）。",
    ),
    "nothing_expanded": (
        "Nothing could be expanded; what is shown is what the database holds. {why}",
        "未能扩展任何关系；所示为数据库中已有的内容。{why}",
    ),
    "no_more": ("The model knows no further relation.", "模型没有给出更多关系。"),
}


def say(concept: str, phrase: str, /, **values: object) -> str:
    """Return a phrase in the language of a concept."""
    english, chinese = PHRASES[phrase]
    return (chinese if is_chinese(concept) else english).format(**values)


def listed(concept: str, names: list[str]) -> str:
    """Return names between commas, as the concept's language writes them."""
    return ("、" if is_chinese(concept) else ", ").join(names)
