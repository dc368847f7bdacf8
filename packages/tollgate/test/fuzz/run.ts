import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { ALL_PROPERTIES } from "../properties/all-properties.ts";
import type { NamedProperty } from "../properties/named-property.ts";
import { type FuzzOptions, readOptions } from "./options.ts";

/** Cases of one property between readings of the clock, before its weight. */
const CASES_PER_TURN = 200;
const REPORT_EVERY_MS = 10_000;

const options = readOptions(process.argv.slice(2));
const properties = ALL_PROPERTIES.filter(({ name }) => name.includes(options.property));
if (properties.length === 0) throw new Error(`--property: no property's name contains ${options.property}`);

process.exitCode = (await (options.path === undefined ? fuzz(properties, options) : replay(properties, options)))
  ? 0
  : 1;

/** Runs the properties in turn with fresh seeds, until time is up, one fails or the process is interrupted. */
async function fuzz(all: readonly NamedProperty[], { seconds }: FuzzOptions): Promise<boolean> {
  const startMs = performance.now();
  const totals = new Map(all.map(({ name }) => [name, 0]));
  let reportMs = startMs + REPORT_EVERY_MS;
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  while (!interrupted.signal.aborted && performance.now() - startMs < seconds * 1_000) {
    for (const property of all) {
      const numRuns = Math.ceil(CASES_PER_TURN * property.weight);
      if (!holds(property, { numRuns, seed: freshSeed() })) return false;
      totals.set(property.name, (totals.get(property.name) ?? 0) + numRuns);
      if (performance.now() >= reportMs) {
        reportMs += REPORT_EVERY_MS;
        console.log(progress(totals, startMs));
      }
      await nextTurn();
      if (interrupted.signal.aborted) break;
    }
  }
  for (const [name, cases] of totals) console.log(`${cases.toLocaleString("en").padStart(12)}  ${name}`);
  console.log(progress(totals, startMs));
  return true;
}

/** Replays a path in every property in which it leads to a case: in its own always, in others by chance. */
function replay(all: readonly NamedProperty[], { seed = 0, path = "" }: FuzzOptions): boolean {
  const failing = all.filter((property) => leads(property, path, seed) && !holds(property, { seed, path }));
  if (failing.length === 0) console.log("Every property holds there.");
  return failing.length === 0;
}

function leads({ property }: NamedProperty, path: string, seed: number): boolean {
  try {
    fc.check(property, { seed, path, numRuns: 1, endOnFailure: true });
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a property holds, and prints how it fails. */
function holds({ name, property }: NamedProperty, parameters: fc.Parameters<unknown>): boolean {
  const details = fc.check(property, parameters);
  if (!details.failed) return true;
  console.error(`\n${name}: failed after ${details.numRuns} cases, shrunk ${details.numShrinks} times`);
  console.error(details.errorInstance instanceof Error ? details.errorInstance.message : details.errorInstance);
  console.error(`Its scenario: ${fc.stringify(details.counterexample)}`);
  console.error(
    `Replay: npm run fuzz -- --property "${name}" --seed ${details.seed} --path "${details.counterexamplePath}"`,
  );
  return false;
}

function progress(totals: ReadonlyMap<string, number>, startMs: number): string {
  const cases = [...totals.values()].reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - startMs) / 1_000;
  return `${cases.toLocaleString("en")} cases in ${seconds.toFixed(0)} s, ${(cases / seconds).toFixed(0)} a second`;
}

function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
