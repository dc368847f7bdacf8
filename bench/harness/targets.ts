import { type Figure, type Method, type Ratio, ratioOf } from "./figures.ts";
import type { Sample } from "./rounds.ts";

export interface Target {
  readonly text: string;
  /** A bound, as in `≥ 0.96` or `≤ 25 ns`. */
  readonly aim: string;
  readonly ratio: Ratio;
  /** The same by processor time, which disturbances of the machine change less. */
  readonly byProcessor?: Ratio | undefined;
}

/** A target beside its measurement, as the page shows it. */
export interface Judged {
  readonly text: string;
  readonly aim: string;
  readonly measured: string;
  readonly range?: string;
  readonly byProcessor?: string;
  readonly verdict: "reached" | "missed" | "not measured";
}

/** A target, with the paths of its figures. */
export function target(text: string, aim: string, of: string, over?: string): Target {
  return { text, aim, ratio: ratioAt(of, over) };
}

export function ratioAt(of: string, over?: string): Ratio {
  return over === undefined ? { of: figureAt(of) } : { of: figureAt(of), over: figureAt(over) };
}

/** As in `hot / memory, table`, the least `ns` of these rows, `hot / memory less clock`, or `verbs / memory / peek`. */
function figureAt(path: string): Figure {
  const [table = "", rows = "", name = "ns"] = path.split(" / ");
  const [least = "", less] = rows.split(" less ");
  return { table, rows: least.split(", "), name, ...(less !== undefined && { less }) };
}

export function judge({ text, ratio, aim, byProcessor }: Target, samples: readonly Sample[], method: Method): Judged {
  const judged = { text, aim };
  const spread = ratioOf(ratio, samples, method);
  if (spread === undefined) return { ...judged, measured: "", verdict: "not measured" };
  const processor = byProcessor === undefined ? undefined : ratioOf(byProcessor, samples, method);
  const [, is = "", bound = "", unit = ""] = /^(\S) (\S+)(.*)$/.exec(aim) ?? [];
  const digits = /^ (?:bytes|ms|ns|million)/.test(unit) ? 1 : 2;
  return {
    ...judged,
    measured: spread.median.toFixed(digits) + unit,
    ...(spread.min < spread.max && { range: `${spread.min.toFixed(2)} to ${spread.max.toFixed(2)}` }),
    ...(processor !== undefined && { byProcessor: processor.median.toFixed(digits) }),
    verdict: REACHES[is]!(spread.median, Number(bound)) ? "reached" : "missed",
  };
}

const REACHES: Readonly<Record<string, (measured: number, bound: number) => boolean>> = {
  "≥": (measured, bound) => measured >= bound,
  "≤": (measured, bound) => measured <= bound,
  ">": (measured, bound) => measured > bound,
  "<": (measured, bound) => measured < bound,
};
