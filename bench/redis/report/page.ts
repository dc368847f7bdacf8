import { FLAGS } from "../../http/measure/server-process.ts";
import { numberText } from "../../report/number-text.ts";
import { KEYS } from "../workload.ts";
import type { Report } from "./report.ts";
import { contenderTable, resultSections, targetTable } from "./sections.ts";

/** `docs/bench-redis.md`. */
export function pageOf(report: Report): string {
  const { date, machine, server, rounds, plan, targets, results } = report;
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.os}, Node ${machine.node}`;
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`);
  const time = `${plan.ms} ms after ${plan.warmUpMs} ms of warm-up`;
  const sections = [
    "# Bench over Redis",
    "`npm run bench:redis` writes this page. Rounds: `BENCH_ROUNDS`; `-- --quick` and `-- --only <text>` only print.",
    `Measured on ${date}: ${where}; ${server} on the same machine, over loopback. Each measurement: ${time}. Medians; rounds: ${rounds}. ${versions.join(", ")}.`,
    "## Targets",
    "Tollgate, with default options, beside another in the same round, with 512 calls in flight; the median of the rounds.",
    targetTable(targets),
    "## How to read this",
    HOW_TO_READ,
    "## Contenders",
    contenderTable(results.contenders),
    "## Results",
    ...resultSections(results),
  ];
  return `${sections.join("\n\n")}\n`;
}

const HOW_TO_READ = [
  `- **A row is a process of its own**, started anew in each round, with one client of ioredis, and the server is another. A round
  has every row once, those with the same keys one after the other, in an order that differs by round. At its beginning the server
  is emptied, and every key is asked about once.`,
  `- **In flight**: so many calls are under way at any time; where one is answered, the next is made at once. That is as much load as
  the contender can bear, so latency is what waiting in line makes of it: with twice the decisions a second a call takes half of the time.`,
  `- **Distinct keys**: ${numberText(KEYS["distinct keys"])} keys in turn, addresses of IPv4, each made anew as a string, as a header's value is. **One hot key**:
  one of them. **Denied keys**: ${numberText(KEYS["denied keys"])} keys in turn that have nothing left, and whose denials the contender has seen.`,
  `- **× INCR**, **× rate-limiter-flexible** (on a plain client): decisions a second beside those in the same round with the
  same keys; then the median of the rounds. INCR is no limiter: nothing expires, and it is there as a measure of the client
  and the server. Compare rows of one page, never of two machines.`,
  "- **p50, p99**: of the time from a call to its answer, of every eighth call.",
  `- **Client µs**: what the client's process took of the processors for a decision, all of its threads together. **Command µs**:
  the server's time in the command for a decision, by the clock, as \`INFO commandstats\` has it. **Server µs**: what its main thread
  took of a processor, by \`INFO cpu\`, which has reading and writing sockets besides. Where a decision takes no longer than one of the
  two spends on it, that one is what bounds the contender. **Per command**: so many decisions go out in one.`,
  `- **By processor time**: how many decisions there could be in the time that the busier of the two takes of a processor. Whatever else
  the machine does changes it less than it changes the decisions a second.`,
  `- **Bytes a key**: \`MEMORY USAGE\` of what is kept for a user key of 16 characters after one decision, under the contender's
  default prefix; Tollgate's limiter is named "api". The server's table of expiries comes on top, for all but INCR.`,
  `- **Nothing is denied where keys are distinct or hot**: keys have 20,000,000 units. With Tollgate they are token buckets
  that gain a unit a minute (three limits: also one in 15 s and one in 30 s), so no key is full again, and dropped, while it is
  asked about. The others count fixed windows of a day.`,
  `- **Tollgate** has \`timeoutMs: 1_000, onFailure: "deny"\` besides what is said: what would be decided without the server is a denial,
  and fails the run.`,
  `- **Answers are checked**: at first a limit of 5 has to admit exactly 5 of 12 calls made at once, and none afterwards; in each
  measurement all calls have to be admitted, or where keys are denied none, and no command may end with an error. A wrong one
  fails the run.`,
  `- **\`node ${FLAGS.join(" ")}\`** for each process, as in [bench-http.md](bench-http.md): with the heap's initial size
  \`process.nextTick\`, of which auto-pipelining makes much, is slow for good in some processes.`,
  `- **@upstash/ratelimit is not here**: its scripts begin with \`#!lua flags=allow-key-locking\` (2.2.0), which only Upstash's own servers take:
  Redis says "Unexpected flag in script shebang". It also asks over HTTP.`,
].join("\n");
