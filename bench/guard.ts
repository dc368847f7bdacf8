import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { GUARDED, measureRatios } from "./guard/guarded.ts";
import { LEAST_FRACTION, type Ratios, settle, verdictTable } from "./guard/settle.ts";
import { fileIn } from "./harness/results.ts";
import { readRounds, warnIfBusy } from "./harness/run-bench.ts";

// `npm run bench:guard`: fails when a ratio is below four fifths of the recorded one, or is not recorded.
// `--record` records the ratios anew.
const ROUNDS = 3;
const ROUNDS_TO_RECORD = 5;
const RECORDED = fileIn("results/recorded.json");

const { values } = parseArgs({ options: { record: { type: "boolean", default: false } } });
const names = Object.keys(GUARDED);
warnIfBusy();

if (values.record) {
  const measured = await measureRatios(names, readRounds(process.env, ROUNDS_TO_RECORD));
  const rounded = Object.entries(measured).map(([name, ratio]) => [name, Number(ratio.toFixed(3))]);
  await writeFile(RECORDED, `${JSON.stringify(Object.fromEntries(rounded))}\n`);
  console.log(`\nRecorded ${rounded.length} ratios.`);
} else {
  const recorded = JSON.parse(await readFile(RECORDED, "utf8")) as Ratios;
  const measure = (some: readonly string[]) => measureRatios(some, readRounds(process.env, ROUNDS));
  const verdicts = await settle(recorded, names, measure, console.log);
  console.log(`\n${verdictTable(verdicts)}\n`);
  const bad = verdicts.filter(({ kind }) => kind !== "holds");
  for (const { name, kind } of bad) console.error(`${name}: ${kind}`);
  if (bad.length > 0) {
    console.error(`A ratio holds when it is at least ${LEAST_FRACTION} of the recorded one.`);
    process.exitCode = 1;
  }
}
