import { algorithmOf } from "../../../algorithms/compile-limit.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import { blocksKeys, type Plan } from "../../../core/plan.ts";
import { isNamedByMoment, scriptAlgorithmOf } from "./algorithms.ts";
import { describeLimit, FIRST_GROUP } from "./row.ts";

/** A plan as the arguments of the script describe it. */
export interface EncodedPlan {
  readonly plan: Plan;
  /**
   * Words, with a space between them: a client takes as long for a short argument as for a long one. For the fast form:
   * the format of a row, for each bucket its description, its cell, its capacity, the ticks of a unit and of a
   * microsecond, and then `k` if the first numbers are kept. For the general form an empty word, whether the first
   * numbers are kept, and for each limit its description, whether it enforces, its blocks, and its windows by the
   * calendar. Where there are such, `~` and the moments between which they are known come first.
   */
  text: string;
  /** Starts of windows by the calendar, of each limit. */
  windows: readonly (readonly number[])[];
  /** The moments between which all windows are known; `undefined` where no limit has any. */
  known: readonly [fromUs: number, untilUs: number] | undefined;
  /** Describes the windows around a moment of the server instead. */
  readonly cover: (us: number) => void;
  /** Whether the fast form can decide takes: all limits are exact buckets that enforce and start full. */
  readonly isFast: boolean;
  /** Whether a limit blocks keys. */
  readonly blocksKeys: boolean;
  /** How many cells each limit may have in a ring. */
  readonly ringCells: readonly number[];
  /** Whether the moment of a take names what it took from each limit. */
  readonly isNamedByMoment: readonly boolean[];
}

/** Lua's stack has no capacity for many more numbers at once. */
const MOST_BUCKETS = 100;

/**
 * Encodes a plan. This is slow, so a space caches its own. Windows by the calendar are those around a moment, until the
 * server says that its time is another one.
 */
export function encodePlan(plan: Plan, aroundUs: () => number = () => 0): EncodedPlan {
  const { limits, enforces, onChange } = plan;
  const descriptions = limits.map((limit) => describeLimit(limit, plan));
  const fast = fastWords(plan, descriptions);
  const encoded: EncodedPlan = {
    plan,
    text: fast?.join(" ") ?? "",
    windows: [],
    known: undefined,
    cover(us) {
      const { known } = encoded;
      if (known !== undefined && (us < known[0] || us >= known[1])) describeAt(us);
    },
    isFast: fast !== undefined,
    blocksKeys: blocksKeys(plan),
    ringCells: limits.map((limit) => scriptAlgorithmOf(limit).ringCells(limit)),
    isNamedByMoment: limits.map(isNamedByMoment),
  };
  const describeAt = (us: number): void => {
    encoded.windows = limits.map((limit) => algorithmOf(limit).windowsAround?.(limit, us) ?? []);
    encoded.known = knownTimes(encoded.windows);
    const { windows, known } = encoded;
    const described = limits.flatMap((limit, i) => [
      ...[descriptions[i]!, enforces[i]! ? 1 : 0],
      ...[...durationNumbers(limit), ...windows[i]!],
    ]);
    encoded.text = ["", ...(known === undefined ? [] : [`~${known[0]}`, known[1]]), onChange === "keep-first" ? 1 : 0]
      .concat(described)
      .join(" ");
  };
  if (fast === undefined) describeAt(aroundUs());
  return encoded;
}

/** The moments between which all windows are known; `undefined` where no limit has any. */
function knownTimes(windows: readonly (readonly number[])[]): readonly [fromUs: number, untilUs: number] | undefined {
  const some = windows.filter(({ length }) => length > 0);
  if (some.length === 0) return undefined;
  return [Math.max(...some.map((starts) => starts[0]!)), Math.min(...some.map((starts) => starts[starts.length - 1]!))];
}

/** How many durations `blockFor` has, these and `forgetAfter` in microseconds, and whether it extends. */
export function durationNumbers({ blockFor }: Limit): readonly number[] {
  if (blockFor === undefined) return [0];
  const { durationsMs, forgetAfterMs, extend } = blockFor;
  const us = [...durationsMs, forgetAfterMs].map((ms) => Math.round(ms * 1000));
  return [durationsMs.length, ...us, extend ? 1 : 0];
}

/** A row has the limits in the order of their descriptions, after its version and the moment at which it was made. */
function fastWords(
  { limits, enforces, onChange }: Plan,
  descriptions: readonly string[],
): (string | number)[] | undefined {
  if (limits.length === 0 || limits.length > MOST_BUCKETS) return undefined;
  const sorted = [...descriptions].sort();
  const format = `<c1i7${sorted.map((text) => `c${text.length + FIRST_GROUP.length}i7`).join("")}`;
  const words: (string | number)[] = [format];
  for (const [i, limit] of limits.entries()) {
    const isPlain = enforces[i]! && limit.blockFor === undefined;
    const numbers = isPlain ? scriptAlgorithmOf(limit).fastNumbers(limit) : undefined;
    if (numbers === undefined) return undefined;
    words.push(descriptions[i]!, 2 * sorted.indexOf(descriptions[i]!) + 4, ...numbers);
  }
  if (onChange === "keep-first") words.push("k");
  return words;
}
