import { runBench } from "./harness/run-bench.ts";

// `npm run bench -- NAME [flags]`: `harness/run-bench.ts` has the flags.
const BENCHES = {
  process: async () => (await import("./process/bench.ts")).BENCH,
  http: async () => (await import("./http/bench.ts")).BENCH,
  redis: async () => (await import("./redis/bench.ts")).BENCH,
  postgres: async () => (await import("./postgres/bench.ts")).BENCH,
  hybrid: async () => (await import("./hybrid/bench.ts")).BENCH,
  replay: async () => (await import("./replay/bench.ts")).BENCH,
  service: async () => (await import("./service/bench.ts")).BENCH,
} as const;

const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(BENCHES, name)) throw new Error(`expected one of ${Object.keys(BENCHES).join(", ")}, got "${name}"`);
await runBench(await BENCHES[name as keyof typeof BENCHES](), args, process.env);
