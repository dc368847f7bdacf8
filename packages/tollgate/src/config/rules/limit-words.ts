import { concurrency } from "../../algorithms/limits/concurrency.ts";
import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import type { LimitOptions } from "../../algorithms/limits/limit-options.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import { REQUESTS } from "../../core/cost.ts";
import type { Duration } from "../../core/duration.ts";
import type { CalendarUnit, Limit } from "../../core/limits/limit.ts";
import type { Amounts, BlockForWord, LimitWords } from "../file/limits-file.ts";

/** The words whose amounts are limits. */
const AMOUNT_WORDS = ["rate", "within", "quota"] as const;
type AmountWord = (typeof AMOUNT_WORDS)[number];

/** The words that are limits. */
export const LIMIT_WORDS = ["rate", "within", "quota", "inflight"] as const;

/** What all limits of a rule have in common. */
export interface LimitSetting {
  /** The rule's name, which the names of its limits begin with. */
  readonly rule: string;
  readonly mode: "enforce" | "shadow";
  readonly blockFor: BlockForWord | undefined;
  /** The name under which a unit is counted. */
  readonly unitOf: (unit: string) => string;
}

/** An amount with its unit. Its name does not depend on its numbers, so that counts outlast a change. */
interface NamedAmount {
  readonly unit: string;
  readonly name: string;
  readonly count: number;
  /** A duration, or a window by the calendar. */
  readonly per: string;
}

/** The amounts of a word, in the order of the file. */
function amountsOf(rule: string, word: AmountWord, amounts: Amounts): readonly NamedAmount[] {
  return Object.entries(perUnit(amounts)).flatMap(([unit, some]) =>
    (typeof some === "string" ? [some] : some).map((amount, i) => {
      const slash = amount.indexOf("/");
      const unitText = unit === REQUESTS ? "" : `.${unit}`;
      return {
        unit,
        // No name of a file contains "#".
        name: `${rule}.${word}${unitText}${i === 0 ? "" : `#${i + 1}`}`,
        count: Number(amount.slice(0, slash)),
        per: amount.slice(slash + 1),
      };
    }),
  );
}

/** What is written for several units, by unit. What is written without one is about requests. */
export function perUnit<Plain>(words: Plain | { readonly [unit: string]: Plain }): Readonly<Record<string, Plain>> {
  const isByUnit = typeof words === "object" && !Array.isArray(words);
  return (isByUnit ? words : { [REQUESTS]: words }) as Readonly<Record<string, Plain>>;
}

/** The units that limits count, without places. */
export function unitsOfWords(words: LimitWords): readonly string[] {
  return AMOUNT_WORDS.flatMap((word) => (words[word] === undefined ? [] : Object.keys(perUnit(words[word]))));
}

/** The limits of one word. @throws TollgateError as the functions that make limits. */
export function limitsOfWord(word: (typeof LIMIT_WORDS)[number], words: LimitWords, setting: LimitSetting): Limit[] {
  const { rule, mode, blockFor, unitOf } = setting;
  if (word === "inflight") {
    const { inflight } = words;
    if (inflight === undefined) return [];
    return [concurrency({ name: `${rule}.inflight`, max: inflight.max, ttl: inflight.ttl as Duration, mode })];
  }
  const amounts = words[word];
  if (amounts === undefined) return [];
  return amountsOf(rule, word, amounts).map(({ unit, name, count, per }) => {
    const common = { name, unit: unitOf(unit), mode, ...(blockFor !== undefined && { blockFor }) } as LimitOptions;
    switch (word) {
      case "rate":
        return tokenBucket({
          ...common,
          capacity: burstOf(words, unit) ?? Math.ceil(count),
          refill: count,
          per: per as Duration,
        });
      case "within":
        return slidingWindow({ ...common, limit: count, window: per as Duration });
      case "quota":
        return quotaOf(common, count, per);
      default:
        return word satisfies never;
    }
  });
}

const CALENDAR_WINDOW = /^(day|week|month|year)(?: in (.+))?$/;

function quotaOf(common: LimitOptions, limit: number, per: string): Limit {
  const [, window, timeZone = "UTC"] = CALENDAR_WINDOW.exec(per) ?? [];
  if (window === undefined) return fixedWindow({ ...common, limit, window: per as Duration });
  return fixedWindow({ ...common, limit, window: window as CalendarUnit, timeZone });
}

function burstOf({ burst }: LimitWords, unit: string): number | undefined {
  if (typeof burst !== "object") return burst;
  return Object.hasOwn(burst, unit) ? burst[unit] : undefined;
}

/** All limits of a rule, of one of its plans or of one of its keys. */
export function limitsOfWords(words: LimitWords, setting: LimitSetting): Limit[] {
  return LIMIT_WORDS.flatMap((word) => limitsOfWord(word, words, setting));
}
