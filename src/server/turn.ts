/**
 * Turns of the event loop.
 *
 * @module
 */
let turn = 1;
let isCounted = false;

function next(): void {
  turn += 1;
  isCounted = false;
}

/** A number that is another one once the event loop has handed out all that had come when its turn began. */
function currentTurn(): number {
  if (!isCounted) {
    isCounted = true;
    setImmediate(next);
  }
  return turn;
}

/**
 * Returns a check that, once it has said yes, says so for the rest of the turn of the event loop without checking again.
 *
 * It is for what is asked through sockets: what is read in a turn had come when the turn began, so a look that was taken
 * since is no older than the request. Who asks from within the process, without a socket, may know better.
 *
 * @example
 * const isUnchanged = trueForTheTurn(() => look() === stamp);
 */
export function trueForTheTurn(check: () => boolean): () => boolean {
  let held = 0;
  return () => {
    const now = currentTurn();
    if (held !== now && check()) held = now;
    return held === now;
  };
}
