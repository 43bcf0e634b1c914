// Questions to begin with: the server forms them from facts of the collection, without a model.

import { fill, h } from "../elements.js";
import { isLimited } from "../rights.js";
import { t } from "../texts.js";

const SHOWN = 3;

/**
 * Make the list of questions to begin with.
 * @param {object} context of the view.
 * @param {object} given
 * @param {(question: string) => void} given.onQuestion one was chosen.
 * @returns {{element, load(collection)}} `load` shows those of a collection; none of "".
 */
export function exampleQuestions(context, { onQuestion }) {
  const element = h("div.examples", { hidden: true });
  let loads = 0;

  async function load(collection) {
    const mine = ++loads;
    element.hidden = true;
    let questions = [];
    if (!collection || (await isLimited(context))) return;
    try {
      const path = `v1/collections/${encodeURIComponent(collection)}/questions`;
      ({ questions } = await context.api.get(path, { limit: SHOWN }, { signal: context.signal }));
    } catch {
      // Examples are a help; what is wrong is said where the question is asked.
    }
    if (mine !== loads || !questions.length) return;
    const choice = (question) =>
      h("li", {}, h("button", { type: "button", dir: "auto", on: { click: () => onQuestion(question) } }, question));
    fill(element, h("h3", {}, t("ask.examples")), h("ul", { "aria-label": t("ask.examples.label") }, questions.map(choice)));
    element.hidden = false;
  }

  return { element, load };
}
