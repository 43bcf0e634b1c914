"""What may be said without a tool."""

import pytest
from doubles.toolset import SCHEMA

from workers.core.answers.turn import Turn
from workers.traverse.tools.courtesy import untold
from workers.traverse.tools.records import RouteInput

EARLIER = Turn(question="Who directed The Matrix?", answer="Lana Wachowski directed The Matrix in 1999 [1].")


def asked(question="Hello!", history=()):
    return RouteInput(question=question, whole=question, history=tuple(history), answers=(), round=1)


COURTESIES = """
Hello! What do you want to know?
Yes, sure! Feel free to ask about movies and persons.
This graph is about movies and the persons who directed them.
I can only answer questions about movies and their cast.
You're welcome! Let me know if you need anything else.
Hi there! How can I help you today?
I'm sorry, but I can only help with movies, actors and directors.
My pleasure. Have a great day!
Good morning! Ask me anything about the films in this graph.
I'm doing well, thank you for asking! What would you like to know about movies?
Glad I could help. Is there anything else you would like to know?
I am an AI assistant, so I don't have feelings, but I'm ready to help.
Could you please rephrase your question?
Unfortunately, that is outside of what I can answer.
No problem at all! If you have any more questions, just ask.
Goodbye, and see you next time!
Gern geschehen!
Bonjour !
你好！我能帮你什么？
您好！请问有什么可以帮您的吗？
不客气！如果您还有其他问题，欢迎随时提问。
很高兴能帮到您，祝您有美好的一天！
我只能回答关于电影及其演员的问题。
抱歉，这个问题超出了我的能力范围。
对不起，我没有这方面的信息，请换一个问题。
早上好！今天想了解哪些电影？
谢谢您的夸奖，我会继续努力。
再见，期待下次与您交流！
我是一个人工智能助手，可以帮您查找电影、演员和导演的信息。
好的，没问题，请告诉我您想知道什么。
不好意思，我没有听懂您的意思，能再说一遍吗？
您可以问我与电影相关的任何问题。
""".strip().splitlines()

CLAIMS = """
It is the largest planet.
The Wachowskis did, in 1999.
Hello! By the way, Paris lies in France.
You're welcome! The sun is a star.
Happy to help: Tom Hanks was born in 1956.
As you know, water boils at 100 degrees.
I am glad you asked, the earth is round.
Please note that whales are mammals.
I'm sorry that Keanu Reeves has retired.
Thanks for asking about Napoleon, who lost at Waterloo.
Have a nice day in Rome, the capital of Italy!
Let me know if you need anything else about whales, which are mammals.
I can only say that honey never spoils.
I can help with movies, and dolphins are very clever.
May I remind you that gold is heavier than iron?
Did you know that bananas grow upside down?
I don't know much, but penguins cannot fly.
Sorry, no: the moon has water.
I can tell you about the film that won most prizes.
Great question, the director is dead.
Good evening! Berlin is lovely today.
我很乐意告诉您，北京是中国的首都。
北京是中国的首都。
您好！太阳从东方升起。
不客气，鲸鱼是哺乳动物。
抱歉，长城有两万公里长。
很高兴为您服务，黄金比铁重。
关于巴黎是法国首都的问题，欢迎提问。
您知道蜂蜜不会变质吗？
谢谢您的提问，基努·里维斯出生于贝鲁特。
我不知道其他的，但企鹅不会飞。
祝您愉快！月亮绕着地球转。
如您所知，水在一百度沸腾。
请记得，汤姆·汉克斯获得过奥斯卡奖。
""".strip().splitlines()


def test_courtesies_and_what_the_graph_is_about_may_be_said_and_what_a_model_knows_by_itself_not():
    for text in COURTESIES:
        assert untold(text, asked(), SCHEMA) is None, text
    for text in CLAIMS:
        assert (untold(text, asked(), SCHEMA) or "").startswith("the conversation does not hold"), text


def test_an_earlier_answer_may_be_said_again():
    assert untold("Lana Wachowski directed The Matrix in 1999.", asked(history=[EARLIER]), SCHEMA) is None
    assert "2003" in (untold("Lana Wachowski directed it in 2003.", asked(history=[EARLIER]), SCHEMA) or "")
    chinese = Turn(question="青岭桥是谁设计的？", answer="李文舟设计了青岭桥 [1]。")
    assert untold("李文舟设计了青岭桥。", asked(history=[chinese]), SCHEMA) is None
    assert untold("李文舟拆除了青岭桥。", asked(history=[chinese]), SCHEMA) is not None

    other = Turn(question="Who acted in Cast Away?", answer="Tom Hanks acted in Cast Away [1].")
    both = asked(history=[EARLIER, other])
    assert untold("Tom Hanks directed The Matrix.", both, SCHEMA) is not None, "two are not put together"


NAPOLEON = "Was Napoleon poisoned by his jailer on Saint Helena in 1821?"
MOONS = "How many moons does the Earth have?"

DECLINED = {
    NAPOLEON: [
        "I cannot tell whether Napoleon was poisoned: this graph is about movies.",
        "I'm sorry, I have no information about Napoleon or Saint Helena.",
        "Sorry, Napoleon is not something I can tell you about.",
    ],
    "What is the weather in Paris?": ["I can't help with the weather in Paris."],
    "Hi, I'm Tom!": ["Hello Tom!"],
    "Can you help me with films?": ["Yes, of course!"],
    "拿破仑是被毒死的吗？": ["抱歉，我无法回答拿破仑是否被毒死的问题。"],
    "巴黎的天气怎么样？": ["对不起，巴黎的天气超出了我的知识范围。"],
    MOONS: [
        "Sorry, that is beyond my scope.",
        "Hello! Unfortunately, that is outside of what I can answer.",
        "I only know about movies. Would you like to ask about one of them?",
        "Please ask about movies or persons.",
        "This question is outside the scope of this graph.",
        "Sorry, that is outside of what can be answered here. This graph is about Movie and Person.",
        "The documents hold no information about moons.",
        "Thanks for asking! I can only help with movies, actors and directors.",
    ],
    "My name is Bertrand. Who directed The Matrix?": ["Hi Bertrand!"],
    "地球有几个卫星？": [
        "抱歉，这个问题超出了我的能力范围。",
        "您好！我只能回答关于电影的问题，请换一个问题。",
        "对不起，图谱里没有关于卫星的信息。",
    ],
}


def test_what_is_asked_may_be_named_and_declined_or_turned_to_what_can_be_asked():
    for question, texts in DECLINED.items():
        for text in texts:
            assert untold(text, asked(question), SCHEMA) is None, text


CONFIRMED = {
    NAPOLEON: [
        "Napoleon was poisoned by his jailer on Saint Helena in 1821.",
        *("No, Napoleon was not poisoned by his jailer.", "Napoleon was only poisoned by his jailer."),
        *("I can only say that Napoleon was poisoned.", "I cannot say more, but Napoleon was poisoned."),
        "I don't know all of it, Napoleon was poisoned.",
        *("Yes, absolutely!", "No, never.", "Yes, in 1821."),
    ],
    "拿破仑是被毒死的吗？": ["是的，没错。", "拿破仑没有被毒死。", "我不太清楚，拿破仑是被毒死的。"],
}
ANSWERED = {
    MOONS: ["The answer is one", "One.", "I think it is one.", "I'm sorry, but one.", "I can tell you: one."],
    "Is Paris in France?": [
        *("That is correct", "You are right.", "I would answer yes.", "You got it right!"),
        "I am sure that is correct.",
    ],
    "Can you tell me whether Paris is in France?": ["That's right."],
    "When did Jesus rise?": ["At Easter.", "On Christmas day."],
    "When does the museum open?": ["Hello! In the morning."],
    "Who was Bertrand Russell?": ["Hi Bertrand!"],
    "Which movies are there?": ["The graph contains no movies", "There are no movies in this collection."],
    "Hello!": ["The graph doesn't contain any movies."],
    "张三是做什么的？": ["我知道是老师。", "他是老师", "老师。", "抱歉，那是老师。"],
    "地球有几个卫星？": ["一个。"],
    "有哪些电影？": ["图谱里没有电影。"],
}


@pytest.mark.parametrize("said", [CONFIRMED, ANSWERED], ids=["what it claims", "what it asks"])
def test_what_a_question_claims_or_asks_about_the_world_is_not_said_without_a_tool(said):
    for question, texts in said.items():
        for text in texts:
            assert untold(text, asked(question), SCHEMA) is not None, text


@pytest.mark.parametrize("question", ["And when?", "How many?", "Is that so?"])
@pytest.mark.parametrize("text", ["One.", "At Easter.", "That is correct."])
def test_a_question_that_follows_on_an_answer_is_about_the_world_too(question, text):
    assert untold(text, asked(question, history=[EARLIER]), SCHEMA) is not None
