import { ROWS } from "./threads/catalog.ts";
import { measureRow } from "./threads/measure/measure-row.ts";
import type { Plan } from "./threads/plan.ts";

// One row with one number of threads, in a process of its own: `threads-child.js <row> <threads> <plan as JSON>` prints decisions a
// second.
const [id = "", threads = "", plan = ""] = process.argv.slice(2);
const row = ROWS.find((one) => one.id === id);
if (row === undefined || row.runs === "natively")
  throw new Error(`expected the id of a row that runs in Node, got ${id}`);
process.stdout.write(String(await measureRow(row, Number(threads), JSON.parse(plan) as Plan)));
