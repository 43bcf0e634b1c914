// The focus stays where it was when a part of the page is drawn anew, and no press on it is lost.

const FOCUSABLE = "a[href], button, summary, input, select, [tabindex]";

/** What tells an element from others when it is drawn anew: `data-keep`, else its name. */
function nameOf(element) {
  return element.dataset.keep ?? `${element.localName} ${element.getAttribute("aria-label") ?? element.textContent}`;
}

/**
 * Draw what a container holds, and focus what has taken the place of the focused element.
 *
 * While a button of the pointer is down in the container, the latest drawing waits: a press and a release
 * on two elements, the old one and the new one, are no click.
 * @param {Element} container
 * @param {() => void} draw
 * @param {() => Element|null} [otherwise] what is focused where nothing has taken its place.
 */
export function redraw(container, draw, otherwise = () => null) {
  if (pressed && container.contains(pressed)) {
    waiting.set(container, () => redraw(container, draw, otherwise));
    return;
  }
  waiting.delete(container);
  const restore = heldFocus(container);
  draw();
  restore(otherwise);
}

let pressed = null; // the element under the pointer's button
const waiting = new Map(); // container -> its latest drawing

function release() {
  pressed = null;
  setTimeout(() => waiting.forEach((draw) => draw())); // after the click, which follows the release
}

addEventListener("pointerdown", (event) => event.button === 0 && (pressed = event.target), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release, true);
addEventListener("blur", release); // of the window; that of an element does not come up to here
// A scroll bar tells of no release.
addEventListener("pointermove", (event) => pressed && !event.buttons && release(), true);

/**
 * Remember what is focused in a container, which is to be drawn anew, soon or after a while.
 * @param {Element} container
 * @returns {(otherwise?: () => Element|null) => void} focuses what has taken its place, unless the focus went on.
 */
export function heldFocus(container) {
  const held = document.activeElement;
  if (held === container || !container.contains(held)) return () => {};
  const name = nameOf(held);
  const scrolled = held.scrollTop;
  return (otherwise = () => null) => {
    const isElsewhere = document.activeElement !== null && document.activeElement !== document.body;
    if (held.isConnected || isElsewhere) return;
    const same = [...container.querySelectorAll(FOCUSABLE)].find((one) => nameOf(one) === name);
    if (same) same.focus({ preventScroll: true });
    else otherwise()?.focus({ preventScroll: true });
    if (same && scrolled) same.scrollTop = scrolled;
  };
}
