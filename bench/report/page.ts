import { HOW_TO_READ_THREADS } from "../threads/report/page-words.ts";
import { threadSections } from "../threads/report/sections.ts";
import { BATCH, CHUNK, GROUP } from "../workloads/chunk.ts";
import type { Report } from "./report.ts";
import { resultSections, targetTable } from "./sections.ts";

/** `docs/bench.md`. */
export function pageOf(report: Report): string {
  const { date, machine, rounds, targets, results, threads } = report;
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.os}, Node ${machine.node}`;
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`);
  const sections = [
    "# Bench",
    "`npm run bench` writes this page; `npm run bench:guard` fails when a ratio falls 20 % below `bench/recorded.json`.",
    `Measured on ${date}: ${where}. Medians; rounds: ${rounds}. ${versions.join(", ")}.`,
    "## Targets",
    targetTable(targets),
    "## How to read this",
    HOW_TO_READ,
    "## Results",
    "Nanoseconds a decision. A ratio above 1 says how many times faster a row is.",
    ...resultSections(results, "with options"),
    "## Across threads",
    HOW_TO_READ_THREADS,
    ...threadSections(threads, "with options"),
  ];
  return `${sections.join("\n\n")}\n`;
}

const HOW_TO_READ = [
  `- **A row is a process of its own**: it makes its keys, inserts every key once, warms up, and is measured. A round has
  every row once, in an order that differs by round. Compare rows of one page, never of two machines.`,
  `- **Fresh keys**: each key is a new string, cut out of a buffer as an HTTP parser cuts a header out of a packet: it has
  no cached hash. ${CHUNK.toLocaleString("en")} of them are made off-clock, then decided about on the clock. All rows get the same keys in the
  same order. Where there are a million, all of them are in the store before it is measured, and no unit comes back
  meanwhile: no store may forget one.`,
  `- **Coarse clock**: \`coarseClock()\` reads the time in every 16th call, or when a millisecond has gone by. The other
  Tollgate rows and all rivals read it in every call.`,
  `- **A handle** is a key that was looked up before, as one kept beside a connection. "In the order in which they were
  made" goes through a million handles in turn, which is no order to the table; in the table of a million keys each as
  likely, handles are met at random as well.`,
  `- **A batch** is one call of \`allowMany\` for ${BATCH} keys, whose array is made off-clock.`,
  "- **The fastest rival** is the one that is fastest in that table, of those that keep all its keys.",
  "- **The loop alone** is what every number contains besides the decision. It is not subtracted.",
  `- **C, such a table**: four slots to a cache line, each a keyed hash (by multiplication, the cheapest kind) and a
  float64, compiled by gcc -O2; it has no strings to take apart and no collector. It shows what is left to gain.`,
  "- **Answers are checked**: a row that admits one call too many or too few fails.",
  `- **Bytes a key**: how a million keys make the heap and the buffers beside it grow, with the text of the keys where a store
  keeps it. **Worst stall**: the longest that ${GROUP} calls took, of all while they came in, the first one included; the code
  is warm by then. **Full collection**: the collector's pause while they are held.`,
  `- **Rivals** have their default options, but for the limit's size and a window of an hour. The stores of
  express-rate-limit, hono-rate-limiter and @fastify/rate-limit count calls in fixed windows and leave the rest to their
  middleware, which is not measured; they know no cost but 1 and no several limits. limiter knows no keys; a \`Map\` does.
  @fastify/rate-limit keeps 5,000 keys by default and lets a client that it forgets begin anew; where there are a million keys
  it has a second row that keeps them all. What returns a promise is awaited; what does not is called plainly.`,
  `- **What an answer says**: \`allow\` and limiter say yes or no. The other rivals also say how many calls were counted and when
  the window ends; so does \`consume\`, which has rows of its own.`,
].join("\n");
