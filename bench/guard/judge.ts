/** Ratios by their names. */
export type Ratios = Readonly<Record<string, number>>;

export interface Verdict {
  readonly name: string;
  readonly recorded: number | undefined;
  readonly measured: number | undefined;
  readonly kind: "holds" | "fell" | "not recorded" | "not measured";
}

/** A ratio may be this much of the recorded one: machines are noisy. */
export const LEAST_SHARE = 0.8;

/** Compares ratios with the recorded ones. One that stands on one side only is no better than one that fell. */
export function judge(recorded: Ratios, measured: Ratios): Verdict[] {
  const names = new Set([...Object.keys(recorded), ...Object.keys(measured)]);
  return [...names].map((name) => {
    const before = recorded[name];
    const now = measured[name];
    return { name, recorded: before, measured: now, kind: kindOf(before, now) };
  });
}

function kindOf(before: number | undefined, now: number | undefined): Verdict["kind"] {
  if (before === undefined) return "not recorded";
  if (now === undefined) return "not measured";
  return now >= LEAST_SHARE * before ? "holds" : "fell";
}
