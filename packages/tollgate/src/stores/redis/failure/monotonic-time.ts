/** Milliseconds of this process that never go back. For waiting: decisions go by the limiter's clock or the server's. */
export function monotonicMs(): number {
  return performance.now();
}
