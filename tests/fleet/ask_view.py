"""The view Ask, as tests of the page use it."""

from playwright.sync_api import Locator, Page, expect

# A question, and a document that answers it with so many days.
NOTICE_QUESTION = "What is the notice period of the bridge contract?"
NOTICE_CONTRACT = (
    "The Menai Company signed the bridge contract. The notice period of the bridge contract is {} days."
)


def fill_question(page: Page, question: str, collection: str, strategy: str = "graph") -> None:
    """Write a question into the form, about a collection once that is listed."""
    choice = page.get_by_label("Collection", exact=True)
    expect(choice.locator(f"option[value={collection}]")).to_be_attached()
    choice.select_option(collection)
    page.get_by_label("Strategy").select_option(strategy)
    page.get_by_label("Question", exact=True).fill(question)


def open_scope(page: Page, question: str, collection: str) -> None:
    """Write a question into the form, and open what says what it reads."""
    fill_question(page, question, collection)
    page.get_by_text("What to read").click()


def open_scope_in_chinese(page: Page, question: str, collection: str) -> None:
    expect(page.locator(f"option[value={collection}]")).to_be_attached()
    page.get_by_label("集合", exact=True).select_option(collection)
    page.locator("textarea").fill(question)
    page.get_by_text("阅读范围").click()


def click_ask(page: Page) -> None:
    """Ask what stands in the form."""
    page.get_by_role("button", name="Ask", exact=True).click()


def answer(page: Page, state: str = "done") -> Locator:
    """Return the card of the newest answer, once its question has ended so."""
    card = page.locator(".turn").last.locator(f".answer[data-state={state}]")
    expect(card).to_be_visible()
    return card


def follow_up(page: Page, question: str) -> None:
    """Ask a question below the answers that are there."""
    page.get_by_label("Follow-up question", exact=True).fill(question)
    page.keyboard.press("Enter")


def ask_on(page: Page, question: str, *, told: str, untold: str = "never said") -> None:
    """Ask again, ask on, and reload: each answer reads the same. End in the form with the question."""
    turns = page.locator(".turn")
    before = turns.count()
    turns.last.get_by_role("button", name="Ask again").click()
    expect(turns).to_have_count(before + 1)
    expect(answer(page)).to_contain_text(told)
    follow_up(page, question)
    expect(turns).to_have_count(before + 2)
    expect(answer(page)).to_contain_text(told)
    page.reload()
    expect(answer(page)).to_contain_text(told)
    expect(answer(page)).not_to_contain_text(untold)
    turns.last.get_by_role("button", name="Edit question").click()
