import { expect, it } from "vitest";
import { outcomeDifferences } from "./kit/compare-outcomes.ts";
import { type ScriptServer, useScriptServer } from "./kit/script-server.ts";
import type { Trace } from "./kit/trace.ts";
import { TraceMaker } from "./kit/trace-maker.ts";

/** How many traces are played. Their seeds are the same in every run; `TOLLGATE_TRACE` plays a single one. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 4_000);
const ONLY = process.env["TOLLGATE_TRACE"];
/** How many traces are in flight at a time. */
const AT_A_TIME = 50;
const TIMEOUT_MS = 600_000;

/** Every difference between the script and the memory store, and every key without an expiry. */
async function play(server: ScriptServer, { steps, names }: Trace): Promise<string[]> {
  const answers = steps.map(async ({ transactions, expected }, i) => {
    const got = server.run({ time: "transactions", transactions });
    const differences = await got.then(
      (outcomes) => outcomeDifferences(outcomes, expected),
      (error: unknown) => [String(error)],
    );
    return differences.map((difference) => `step ${i}: ${difference}`);
  });
  const leases = names.map(async (name) =>
    (await server.command("PTTL", name)) === -1 ? [`${name} has no expiry`] : [],
  );
  return (await Promise.all([...answers, ...leases])).flat();
}

/** The differences of the first trace that has any. */
async function playAll(server: ScriptServer, traces: readonly Trace[]): Promise<readonly string[]> {
  const played = Promise.all(traces.map((trace) => play(server, trace)));
  const [found] = await Promise.all([played, server.command("FLUSHALL")]);
  const failed = found.findIndex((differences) => differences.length > 0);
  return failed < 0 ? [] : [`TOLLGATE_TRACE=${traces[failed]?.seed}`, ...(found[failed] ?? [])];
}

const started = useScriptServer();

it(`the script equals the memory store to the bit in ${TRACES} random traces`, { timeout: TIMEOUT_MS }, async () => {
  const seeds = ONLY === undefined ? Array.from({ length: TRACES }, (_, i) => 1 + i) : [Number(ONLY)];
  let playing: Promise<readonly string[]> = Promise.resolve([]);
  for (let from = 0; from < seeds.length; from += AT_A_TIME) {
    // Makes the next traces while Redis plays some.
    const traces = seeds.slice(from, from + AT_A_TIME).map((seed) => new TraceMaker(seed).make());
    expect(await playing).toEqual([]);
    playing = playAll(started.server, traces);
  }
  expect(await playing).toEqual([]);
});
