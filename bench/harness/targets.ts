import { type Method, type Ratio, ratioOf } from "./figures.ts";
import type { Sample } from "./rounds.ts";

/** A bound. `digits` are those of the measured number. */
export interface Aim {
  readonly is: "≥" | "≤" | ">" | "<";
  readonly value: number;
  readonly unit?: string;
  readonly digits: number;
}

export interface Target {
  readonly text: string;
  readonly ratio: Ratio;
  readonly aim: Aim;
  /** The same by processor time, which disturbances of the machine change less. */
  readonly byProcessor?: Ratio;
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

export function judge({ text, ratio, aim, byProcessor }: Target, samples: readonly Sample[], method: Method): Judged {
  const { is, value, unit, digits } = aim;
  const withUnit = (number: string) => (unit === undefined ? number : `${number} ${unit}`);
  const judged = { text, aim: withUnit(`${is} ${value}`) };
  const spread = ratioOf(ratio, samples, method);
  if (spread === undefined) return { ...judged, measured: "", verdict: "not measured" };
  const processor = byProcessor === undefined ? undefined : ratioOf(byProcessor, samples, method);
  return {
    ...judged,
    measured: withUnit(spread.median.toFixed(digits)),
    ...(spread.min < spread.max && { range: `${spread.min.toFixed(2)} to ${spread.max.toFixed(2)}` }),
    ...(processor !== undefined && { byProcessor: processor.median.toFixed(digits) }),
    verdict: reaches(spread.median, aim) ? "reached" : "missed",
  };
}

function reaches(measured: number, { is, value }: Aim): boolean {
  switch (is) {
    case "≥":
      return measured >= value;
    case "≤":
      return measured <= value;
    case ">":
      return measured > value;
    case "<":
      return measured < value;
    default:
      return is satisfies never;
  }
}
