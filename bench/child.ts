import { CATALOG } from "./contenders/catalog.ts";
import { measure } from "./measure/measure.ts";
import type { Job } from "./workloads/job.ts";

// One contender and one job, in a process of their own: `child.js <contender> <job as JSON>` prints what it measured.
const [id = "", job = ""] = process.argv.slice(2);
const entry = CATALOG.find((one) => one.id === id);
if (entry?.runs !== "in Node") throw new Error(`expected the id of a contender that runs in Node, got ${id}`);
const measurements = await measure(await entry.load(), JSON.parse(job) as Job);
process.stdout.write(JSON.stringify(measurements));
