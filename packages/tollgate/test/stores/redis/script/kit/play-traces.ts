import { expect, it } from "vitest";
import { outcomeDifferences } from "./compare-outcomes.ts";
import { type ScriptServer, useScriptServer } from "./script-server.ts";
import type { Trace } from "./trace.ts";
import { TraceMaker } from "./trace-maker.ts";

/**
 * The seeds of a file. They are the same in every run; `TOLLGATE_TRACES` plays more per file, `TOLLGATE_TRACE` a
 * single one.
 */
const TRACES_PER_FILE = Number(process.env["TOLLGATE_TRACES"] ?? 5_000);
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

/** The traces of one of several files, which run in parallel: the first has number 0. */
export function itAgreesWithMemory(file: number): void {
  const started = useScriptServer();
  const first = file * TRACES_PER_FILE + 1;
  const last = first + TRACES_PER_FILE - 1;

  it(`the script equals the memory store to the bit in random traces ${first} to ${last}`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const all = Array.from({ length: TRACES_PER_FILE }, (_, i) => first + i);
    const seeds = ONLY === undefined ? all : [Number(ONLY)];
    let playing: Promise<readonly string[]> = Promise.resolve([]);
    for (let from = 0; from < seeds.length; from += AT_A_TIME) {
      // Makes the next traces while Redis plays some.
      const traces = seeds.slice(from, from + AT_A_TIME).map((seed) => new TraceMaker(seed).make());
      expect(await playing).toEqual([]);
      playing = playAll(started.server, traces);
    }
    expect(await playing).toEqual([]);
  });
}
