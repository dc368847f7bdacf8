import { parseArgs } from "node:util";
import { GUARDED } from "./guard/guarded.ts";
import { LEAST_SHARE } from "./guard/judge.ts";
import { measureRatios } from "./guard/measure-ratios.ts";
import { readRecorded, writeRecorded } from "./guard/recorded.ts";
import { settle } from "./guard/settle.ts";
import { verdictTable } from "./guard/verdict-table.ts";
import { readRounds } from "./orchestrate/options.ts";

// `npm run bench:guard`: fails when a ratio to a rival is less than four fifths of the recorded one, or is not recorded.
// With `--record` it records the ratios anew.
const ROUNDS = 3;
const ROUNDS_TO_RECORD = 5;

const { values } = parseArgs({ options: { record: { type: "boolean", default: false } } });
const names = Object.keys(GUARDED);

if (values.record) {
  const measured = await measureRatios(names, readRounds(process.env, ROUNDS_TO_RECORD));
  await writeRecorded(measured);
  console.log(`\nRecorded ${Object.keys(measured).length} ratios.`);
} else {
  const recorded = await readRecorded();
  const rounds = readRounds(process.env, ROUNDS);
  const verdicts = await settle(recorded, names, (some) => measureRatios(some, rounds), console.log);
  console.log(`\n${verdictTable(verdicts)}\n`);
  const bad = verdicts.filter(({ kind }) => kind !== "holds");
  for (const { name, kind } of bad) console.error(`${name}: ${kind}`);
  if (bad.length > 0) {
    console.error(`A ratio holds when it is at least ${LEAST_SHARE} of the recorded one.`);
    process.exitCode = 1;
  }
}
