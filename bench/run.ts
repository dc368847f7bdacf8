import { readOptions, runBench } from "./harness/run-bench.ts";

// `npm run bench`, and `bench:http`, `bench:redis`, `bench:service`, `bench:waiting`, `bench:limits`, `bench:metrics`:
// measures, prints, and writes the results and their page. `--quick` and `--only <text>` print only. `--page` writes
// the page from stored results. Fails when a task failed, not when a target is missed.
const BENCHES = {
  process: async () => (await import("./process/bench.ts")).BENCH,
  http: async () => (await import("./http/bench.ts")).BENCH,
  redis: async () => (await import("./redis/bench.ts")).BENCH,
  service: async () => (await import("./service/bench.ts")).BENCH,
  waiting: async () => (await import("./waiting/bench.ts")).BENCH,
  limits: async () => (await import("./limits/bench.ts")).BENCH,
  metrics: async () => (await import("./metrics/bench.ts")).BENCH,
} as const;

const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(BENCHES, name)) throw new Error(`expected one of ${Object.keys(BENCHES).join(", ")}, got ${name}`);
await runBench(await BENCHES[name as keyof typeof BENCHES](), readOptions(args, process.env));
