import { type Path, ratioOf, type Sample, type Spread } from "./figures.ts";

/** What has to hold whatever the machine: the median of a figure or, in most cases, of a ratio. */
export interface Bound {
  readonly text: string;
  readonly is: "≥" | "≤";
  readonly bound: number;
  readonly of: Path;
  readonly over?: Path;
}

export interface Judged {
  readonly text: string;
  readonly aim: string;
  readonly measured?: Spread;
  readonly holds: boolean;
}

/** Judges what was measured. A bound whose figures are missing does not hold. */
export function judge({ text, is, bound, of, over }: Bound, samples: readonly Sample[]): Judged {
  const measured = ratioOf(samples, of, over);
  const judged = { text, aim: `${is} ${bound}` };
  if (measured === undefined) return { ...judged, holds: false };
  const holds = is === "≥" ? measured.median >= bound : measured.median <= bound;
  return { ...judged, measured, holds };
}
