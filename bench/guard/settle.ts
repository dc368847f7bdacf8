import { judge, type Ratios, type Verdict } from "./judge.ts";

/** How often a ratio that fell is measured again before that counts. */
const MORE_ATTEMPTS = 2;

/** Measures all recorded and guarded ratios, and again those that fell: a machine's noise goes away, a loss does not. */
export async function settle(
  recorded: Ratios,
  guarded: readonly string[],
  measure: (names: readonly string[]) => Promise<Ratios>,
  say: (line: string) => void,
): Promise<Verdict[]> {
  let measured = await measure(guarded);
  let verdicts = judge(recorded, measured);
  for (let attempt = 1; attempt <= MORE_ATTEMPTS; attempt += 1) {
    const fell = verdicts.filter(({ kind }) => kind === "fell").map(({ name }) => name);
    if (fell.length === 0) break;
    say(`Fell, so measured again (${attempt} of at most ${MORE_ATTEMPTS}): ${fell.join("; ")}`);
    measured = { ...measured, ...(await measure(fell)) };
    verdicts = judge(recorded, measured);
  }
  return verdicts;
}
