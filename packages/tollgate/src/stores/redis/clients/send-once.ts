/**
 * A signal for a client that sends a command again after it lost a connection, tells nobody, and looks each time before it sends whether
 * that is aborted: it is from the second time on.
 */
export function sendOnce(): AbortSignal {
  const { signal } = new AbortController();
  let looks = 0;
  return Object.defineProperty(signal, "aborted", {
    get(): boolean {
      looks += 1;
      return looks > 1;
    },
  });
}
