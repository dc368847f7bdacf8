const LATER_MS = 1;

/** Calls back in a moment. The timer keeps the process alive, because callers wait. */
export function later(work: () => void): void {
  setTimeout(work, LATER_MS);
}
