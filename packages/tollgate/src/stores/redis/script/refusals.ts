/**
 * How servers say that they write nothing: the code, and what the text of the error has in it. A reply tells its place in this list,
 * counted from 1 and below 0. Before Redis 7.2 rights that lack have no code of their own.
 */
export const REFUSALS: readonly (readonly [code: string, text: string])[] = [
  ["OOM", "OOM "],
  ["READONLY", "READONLY "],
  ["MISCONF", "MISCONF "],
  ["NOREPLICAS", "NOREPLICAS "],
  ["NOPERM", "NOPERM "],
  ["NOPERM", "can't run this command"],
  ["NOPERM", "can't access at least one of the keys"],
];
