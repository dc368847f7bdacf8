/** A misconfiguration that shows only while requests come in. Each has an entry in `docs/warnings.md`. */
export type WarningCode =
  | "cluster-memory"
  | "degraded-unobserved"
  | "no-address"
  | "observer-error"
  | "untrusted-proxy";

const given = new Set<WarningCode>();

/** Says it on stderr, once in this process. */
export function warnOnce(code: WarningCode, text: string): void {
  if (given.has(code)) return;
  given.add(code);
  // biome-ignore lint/suspicious/noConsole: a misconfigured limiter works, so nothing else would tell.
  console.warn(`tollgate: ${text} (${code})`);
}

/** Lets each warning be said again, for tests. */
export function forgetWarnings(): void {
  given.clear();
}
