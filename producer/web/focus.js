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
  const held = document.activeElement;
  const isHeld = held !== container && container.contains(held);
  const name = isHeld ? nameOf(held) : "";
  const scrolled = isHeld ? held.scrollTop : 0;
  draw();
  if (!isHeld || held.isConnected) return;
  const same = [...container.querySelectorAll(FOCUSABLE)].find((one) => nameOf(one) === name);
  if (same) same.focus({ preventScroll: true });
  else otherwise()?.focus({ preventScroll: true });
  if (same && scrolled) same.scrollTop = scrolled;
}
