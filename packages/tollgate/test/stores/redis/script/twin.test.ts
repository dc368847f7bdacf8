import { describe, expect, it } from "vitest";
import { outcomeDifferences } from "./kit/compare-outcomes.ts";
import { useScriptServer } from "./kit/script-server.ts";
import type { Trace } from "./kit/trace.ts";
import { TraceMaker } from "./kit/trace-maker.ts";

/** The same in every run. `TOLLGATE_TRACES` plays more, `TOLLGATE_TRACE` one of them alone. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 20_000);
const ONLY = process.env["TOLLGATE_TRACE"];
/** How many are under way at a time. */
const AT_A_TIME = 50;
/** Longer than the test: clocks of traces stand still where Redis's goes on. */
const EXTRA_MS = 3_600_000;
const TIMEOUT_MS = 600_000;

const started = useScriptServer();

/** Every difference between the script and the memory store, and every key that would stay for good. */
async function play({ steps, names }: Trace): Promise<string[]> {
  const { server } = started;
  const answers = steps.map(async ({ transactions, expected }, i) => {
    const got = server.run({ time: "client", extraMs: EXTRA_MS, transactions });
    const differences = await got.then(
      (outcomes) => outcomeDifferences(outcomes, expected),
      (error: unknown) => [String(error)],
    );
    return differences.map((difference) => `step ${i}: ${difference}`);
  });
  const leases = names.map(async (name) =>
    (await server.command("PTTL", name)) === -1 ? [`${name} would stay for good`] : [],
  );
  return (await Promise.all([...answers, ...leases])).flat();
}

/** What is wrong with the first trace that shows anything. */
async function playAll(traces: readonly Trace[]): Promise<readonly string[]> {
  const played = Promise.all(traces.map(play));
  const [found] = await Promise.all([played, started.server.command("FLUSHALL")]);
  const failed = found.findIndex((differences) => differences.length > 0);
  return failed < 0 ? [] : [`TOLLGATE_TRACE=${traces[failed]?.seed}`, ...(found[failed] ?? [])];
}

describe("the script and the memory store", () => {
  it(`agree to the bit over ${TRACES} random traces`, { timeout: TIMEOUT_MS }, async () => {
    const seeds = ONLY === undefined ? Array.from({ length: TRACES }, (_, i) => i + 1) : [Number(ONLY)];
    let playing: Promise<readonly string[]> = Promise.resolve([]);
    for (let from = 0; from < seeds.length; from += AT_A_TIME) {
      // While Redis plays some traces, the next are made.
      const traces = seeds.slice(from, from + AT_A_TIME).map((seed) => new TraceMaker(seed).make());
      expect(await playing).toEqual([]);
      playing = playAll(traces);
    }
    expect(await playing).toEqual([]);
  });
});
