/** Later seconds since 1970 than these are no spans: 30 years. */
const LONGEST_SECONDS = 1e9;
/** Later numbers than these are milliseconds since 1970. */
const LAST_EPOCH_SECONDS = 1e11;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The milliseconds from now until a limit is reset, as services write it: seconds (`30`), seconds or milliseconds since
 * 1970 (`1790000000`), a span (`6m0s`, `20ms`), or a date. `undefined` for other texts.
 */
export function spanMs(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,16}(?:\.\d{1,9})?$/.test(trimmed)) return numberMs(Number(trimmed), nowMs);
  if (/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d))+$/.test(trimmed)) {
    let ms = 0;
    for (const [, count, unit = ""] of trimmed.matchAll(/([\d.]+)(ms|s|m|h|d)/g)) ms += Number(count) * UNITS_MS[unit]!;
    return ms;
  }
  const at = timestampMs(trimmed);
  return at === undefined ? undefined : Math.max(0, at - nowMs);
}

function numberMs(number: number, nowMs: number): number {
  if (number < LONGEST_SECONDS) return number * 1_000;
  return Math.max(0, (number < LAST_EPOCH_SECONDS ? number * 1_000 : number) - nowMs);
}

/** A date of HTTP or of RFC 3339, in milliseconds since 1970. */
export function timestampMs(text: string): number | undefined {
  const isDate =
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text) ||
    /^[A-Z][a-z]{2,8},? [\w :-]{10,32} GMT$/.test(text);
  // biome-ignore lint/style/noRestrictedGlobals: it reads a text, and no clock.
  const ms = isDate ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
