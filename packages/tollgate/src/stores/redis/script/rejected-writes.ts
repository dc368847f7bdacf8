/**
 * How servers reject writes: the code, and a part of the error's text. A reply names the place in this list, counted
 * from 1 and negated. Before Redis 7.2 missing permissions have no code of their own.
 */
export const REJECTED_WRITES: readonly (readonly [code: string, text: string])[] = [
  ["OOM", "OOM "],
  ["READONLY", "READONLY "],
  ["MISCONF", "MISCONF "],
  ["NOREPLICAS", "NOREPLICAS "],
  ["NOPERM", "NOPERM "],
  ["NOPERM", "can't run this command"],
  ["NOPERM", "can't access at least one of the keys"],
];
