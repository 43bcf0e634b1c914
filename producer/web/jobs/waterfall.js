// The bars of a timeline. What they show stands in the table's cells too, so that they are hidden from readers.

import { h } from "../elements.js";

const WIDTH = 1000; // units of a drawing, stretched to the room there is
const HEIGHT = 16;
const THIN = 2; // of the line that shows waiting
const LEAST = 3; // width of what is too short to be seen
const COLUMNS = 120; // of a crowd

/** Return the line of an item: waiting as a thin line, each attempt as a bar. */
export function attemptsBar(item, seconds) {
  const scale = WIDTH / Math.max(seconds, 0.001);
  const end = (attempt) => attempt.ended ?? seconds;
  const waits = item.attempts.map((attempt, nth) => [nth ? end(item.attempts[nth - 1]) : item.opened, attempt.began]);
  return drawing(
    waits.filter(([from, to]) => to > from).map(([from, to]) => box("rect.timeline-wait", from * scale, (to - from) * scale, THIN)),
    item.attempts.map((attempt) => box(`rect.timeline-run.is-${attempt.how}`, attempt.began * scale, (end(attempt) - attempt.began) * scale, HEIGHT - 4)),
  );
}

function box(names, from, width, height) {
  const wide = Math.max(width, LEAST);
  return h(names, { x: Math.min(from, WIDTH - wide), y: (HEIGHT - height) / 2, width: wide, height });
}

/**
 * Draw how many of the items ran at once.
 * @returns {{bar, most}} most: at any time.
 */
export function crowdBar(items, seconds) {
  const running = new Array(COLUMNS).fill(0);
  const column = (moment) => Math.min(Math.floor((moment / Math.max(seconds, 0.001)) * COLUMNS), COLUMNS - 1);
  for (const { attempts } of items) {
    for (const attempt of attempts) {
      for (let at = column(attempt.began); at <= column(attempt.ended ?? seconds); at += 1) running[at] += 1;
    }
  }
  const highest = Math.max(...running);
  const steps = running.map((count, at) => {
    const y = HEIGHT - (count / highest) * (HEIGHT - 1);
    return `L${(at / COLUMNS) * WIDTH} ${y} L${((at + 1) / COLUMNS) * WIDTH} ${y}`;
  });
  const path = h("path", { class: "timeline-crowd", d: `M0 ${HEIGHT} ${steps.join(" ")} L${WIDTH} ${HEIGHT} Z` });
  return { bar: drawing(path), most: mostAtOnce(items, seconds) };
}

function mostAtOnce(items, seconds) {
  const turns = items.flatMap(({ attempts }) => attempts.flatMap((attempt) => [[attempt.began, 1], [attempt.ended ?? seconds, -1]]));
  turns.sort(([a, up], [b, down]) => a - b || up - down);
  let now = 0;
  let most = 0;
  for (const [, change] of turns) most = Math.max(most, (now += change));
  return most;
}

function drawing(...shapes) {
  return h("svg.timeline-line", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, shapes);
}
