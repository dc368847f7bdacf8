import { FLAGS } from "../measure/server-process.ts";
import type { Report } from "./report.ts";
import { resultSections, targetTable } from "./sections.ts";

/** `docs/bench-http.md`. */
export function pageOf(report: Report): string {
  const { date, machine, generator, rounds, plan, targets, results } = report;
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.os}, Node ${machine.node}`;
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`);
  const load = `${generator}, ${plan.connections} connections, ${plan.seconds} s after ${plan.warmUpSeconds} s of warm-up`;
  const sections = [
    "# Bench over HTTP",
    "`npm run bench:http` writes this page. Rounds: `BENCH_ROUNDS`; `-- --quick` and `-- --only <text>` only print.",
    `Measured on ${date}: ${where}. Load: ${load}. Medians; rounds: ${rounds}. ${versions.join(", ")}.`,
    "## Targets",
    "Requests a second of a server with Tollgate, with default options but where it says otherwise, beside another's.",
    targetTable(targets),
    "## How to read this",
    HOW_TO_READ,
    "## Results",
    ...resultSections(results, "with options"),
  ];
  return `${sections.join("\n\n")}\n`;
}

const HOW_TO_READ = [
  `- **A row is a process of its own**, started anew in each round, and the generator is another. A round has every row once,
  those of a framework one after the other, in an order that differs by round.`,
  `- **× bare**: beside the bare server of the same framework in the same round; then the median of the rounds. Below 1 it
  is slower. Compare rows of one page, never of two machines.`,
  `- **µs each**: what the server's process took of the processors for a request, all of its threads together. Whatever else
  the machine does changes it less than it changes the requests a second. Its "× bare" says how many requests more are
  answered in the same time of the processor.`,
  `- **Busy**: how much of one processor the server took. It is the server that is measured where that is about 100 % or more;
  well below, it waited for the generator, or for a processor that something else was using: then look at the time of the
  processor.`,
  `- **The handler** answers "hello" to \`GET /\` in the framework's usual way. \`NODE_ENV\` is "production".`,
  `- **\`node ${FLAGS.join(" ")}\`** for each server: with the heap's initial size some rows, by how much they happen to
  load, had a slow \`process.nextTick\` for good, 7 to 10 % of their time (Node 20); with this size it was not seen. Probably a full
  collection during start-up is behind it.`,
  `- **Every request is admitted**: the limit is 100,000,000 requests a day for each address, and there is one address.
  With Tollgate it is \`createLimiter({ key: clientIp(), limits: [perDay(100_000_000)] })\`: a token bucket in memory,
  which is not full again before the next request.
  The usual limiters count fixed windows in memory, and have their default options but for the limit, the window and, where
  there is no default, the key, which is the address of the client, too.`,
  "- **Headers**: express-rate-limit and @fastify/rate-limit send three by default, hono-rate-limiter four, Tollgate two.",
  `- **Answers are checked**: at first each server that limits has to deny the second request where one is allowed; in each
  round none of the answers is an error, and that to one more request has the status, the body and the headers that it
  should have. A wrong one fails the run.`,
].join("\n");
