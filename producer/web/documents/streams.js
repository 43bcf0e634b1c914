// How many batches are followed by a stream at once: a browser opens six connections to a server over HTTP/1.1,
// and each stream holds one for as long as its batch runs. Uploads and cancelling have to get through.

const MOST = 2;
let held = 0;

/** Take a place for a stream: the function that gives it back, or null where all are taken. */
export function takeStream() {
  if (held >= MOST) return null;
  held += 1;
  let isHeld = true;
  return () => {
    if (isHeld) held -= 1;
    isHeld = false;
  };
}
