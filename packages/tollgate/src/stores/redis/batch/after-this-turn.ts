type Schedule = (work: () => void) => unknown;

/**
 * Runs work when everything that came in this turn of the event loop has been handled: the requests that a server read from
 * several sockets at once are one turn. Where a runtime has no `setImmediate`, only what is under way now comes before it.
 */
export const afterThisTurn: Schedule =
  (globalThis as { readonly setImmediate?: Schedule }).setImmediate ??
  ((work) => queueMicrotask(() => queueMicrotask(work)));
