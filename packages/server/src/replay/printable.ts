const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Text of a log to show: at most 120 characters, without controls and without what turns its direction. */
export function printable(text: string): string {
  return text.slice(0, 120).replace(HIDDEN, "?");
}
