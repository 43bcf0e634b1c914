// The focus stays where it was when a part of the page is drawn anew.

const FOCUSABLE = "a[href], button, summary, input, select, [tabindex]";

/** What tells an element from others when it is drawn anew: `data-keep`, else its name. */
function nameOf(element) {
  return element.dataset.keep ?? `${element.localName} ${element.getAttribute("aria-label") ?? element.textContent}`;
}

/**
 * Draw what a container holds, and focus what has taken the place of the focused element.
 * @param {Element} container
 * @param {() => void} draw
 * @param {() => Element|null} [otherwise] what is focused where nothing has taken its place.
 */
export function redraw(container, draw, otherwise = () => null) {
  const restore = heldFocus(container);
  draw();
  restore(otherwise);
}

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
