/** A word or phrase that no prose of the project contains, and what to write in its place. */
export interface BannedWord {
  readonly pattern: RegExp;
  readonly reason: string;
  /** Where the rule holds; everywhere if absent. */
  readonly where?: "comment";
}

const AGENT = "name the agent: the limiter, the store, the thread, the caller, a client";
const PARAPHRASE = "say it plainly";

/** Patterns are regular expressions, which the scanner skips: so this file passes its own rules. */
export const BANNED_WORDS: readonly BannedWord[] = [
  { pattern: /\b(?:no|some|any)body\b/giu, reason: AGENT },
  { pattern: /\b(?:someone|anyone|no one)\b/giu, reason: AGENT },
  { pattern: /(?<=\w[,;:]? )whom?\b|\bwhom?(?= \w)/giu, reason: AGENT },
  { pattern: /\bwhatever becomes of\b/giu, reason: "write: what happens to" },
  { pattern: /\bwho(?:so|m)?ever\b/giu, reason: AGENT },
  { pattern: /\bas good as new\b/giu, reason: "write: idle" },
  { pattern: /\bdroppable\b/giu, reason: "write: idle" },
  { pattern: /\bvaca(?:nt|te[sd]?|ting)\b/giu, reason: "write: idle, or free" },
  { pattern: /\buntil new\b/giu, reason: "write: until idle" },
  { pattern: /\b(?:is|are|was|were) none\b/giu, reason: "write: there is no …, or: it does not exist" },
  { pattern: /\bbut for\b/giu, reason: "write: except" },
  { pattern: /\bbesides\b/giu, reason: "write: also, or: as well" },
  { pattern: /\bat hand\b/giu, reason: PARAPHRASE },
  { pattern: /\bha(?:ve|s|d) it said\b/giu, reason: PARAPHRASE },
  { pattern: /\bhear(?:s|d|ing)? of\b/giu, reason: "write: is notified, gets" },
  { pattern: /\bsee(?:s|n|ing)? to (?:it|that)\b/giu, reason: "write: ensures" },
  { pattern: /\bwhat becomes of\b/giu, reason: "write: what happens to" },
  { pattern: /\bfence bytes?\b/giu, reason: "write: cancel flag" },
  { pattern: /\beras?\b/giu, reason: "write: epoch" },
  { pattern: /\bforesight\b/giu, reason: "write: extrapolation" },
  { pattern: /\bdesks?\b/giu, reason: "write: write slot" },
  { pattern: /\badmittance\b/giu, reason: "write: address filter" },
  { pattern: /\bwhere (?:it|this|that) says otherwise\b/giu, reason: "write: unless stated otherwise" },
  { pattern: /^Of /gu, reason: "a fragment: begin with the subject", where: "comment" },
  {
    pattern: /^As (?!in |many |a |an |the |long |soon )/gu,
    reason: "a fragment: begin with the subject",
    where: "comment",
  },
];
