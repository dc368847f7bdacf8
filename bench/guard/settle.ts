import { LEFT, RIGHT, textTable } from "../harness/page.ts";

export type Ratios = Readonly<Record<string, number>>;

export interface Verdict {
  readonly name: string;
  readonly recorded: number | undefined;
  readonly measured: number | undefined;
  readonly kind: "holds" | "fell" | "not recorded" | "not measured";
}

/** A ratio holds from this fraction of the recorded one: machines are noisy. */
export const LEAST_FRACTION = 0.8;
const MORE_ATTEMPTS = 2;

/** Compares ratios with the recorded ones. A ratio that only one side has does not hold. */
export function judge(recorded: Ratios, measured: Ratios): Verdict[] {
  const names = new Set([...Object.keys(recorded), ...Object.keys(measured)]);
  return Array.from(names, (name) => {
    const [before, now] = [recorded[name], measured[name]];
    return { name, recorded: before, measured: now, kind: kindOf(before, now) };
  });
}

function kindOf(before: number | undefined, now: number | undefined): Verdict["kind"] {
  if (before === undefined) return "not recorded";
  if (now === undefined) return "not measured";
  return now >= LEAST_FRACTION * before ? "holds" : "fell";
}

/** Measures all guarded ratios, and then the fallen ones again: noise goes away, a regression does not. */
export async function settle(
  recorded: Ratios,
  guarded: readonly string[],
  measure: (names: readonly string[]) => Promise<Ratios>,
  log: (line: string) => void,
): Promise<Verdict[]> {
  let measured = await measure(guarded);
  let verdicts = judge(recorded, measured);
  for (let attempt = 1; attempt <= MORE_ATTEMPTS; attempt += 1) {
    const fell = verdicts.filter(({ kind }) => kind === "fell").map(({ name }) => name);
    if (fell.length === 0) break;
    log(`Fell, so measured again (${attempt} of at most ${MORE_ATTEMPTS}): ${fell.join("; ")}`);
    measured = { ...measured, ...(await measure(fell)) };
    verdicts = judge(recorded, measured);
  }
  return verdicts;
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const columns = [LEFT("ratio"), RIGHT("recorded"), RIGHT("measured"), LEFT("verdict")];
  const text = (ratio: number | undefined) => ratio?.toFixed(2) ?? "";
  return textTable(
    columns,
    verdicts.map(({ name, recorded, measured, kind }) => [name, text(recorded), text(measured), kind]),
  );
}
