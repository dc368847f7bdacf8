import { describe, expect, it } from "vitest";
import { run } from "../support/run.ts";
import { ENVIRONMENT, FIXTURES, programOf } from "./runtime.ts";

const AGREED_MS = 0.05;
/** Threads of Bun and Deno have no common clock. Each notes the wall time at its start, and may be interrupted then. */
const ROUGHLY_AGREED_MS = 5;

interface Sharing {
  readonly name: string;
  /** The program and its arguments before the script. */
  readonly command: () => readonly [program: string, ...parameters: string[]];
  /** The kind of worker: see fixtures/threads.js. */
  readonly workers: "Worker" | "worker_threads";
  readonly version: RegExp;
  readonly agreedMs: number;
  readonly memory: "SharedArrayBuffer" | "WebAssembly.Memory";
}

const bun = () => [programOf("@oven", "bin/bun"), "run", "--no-install"] as const;
const deno = () =>
  [
    programOf("@deno", "deno"),
    ...["run", "--no-prompt", "--allow-read", "--allow-env", "--no-remote", "--node-modules-dir=manual"],
  ] as const;
const threads = { memory: "WebAssembly.Memory", workers: "worker_threads", agreedMs: AGREED_MS } as const;
const roughly = { ...threads, agreedMs: ROUGHLY_AGREED_MS } as const;

const SHARING: readonly Sharing[] = [
  { ...threads, name: "this Node", command: () => [process.execPath], version: /^v/ },
  {
    ...threads,
    name: "Node without WebAssembly",
    command: () => [process.execPath, "--no-expose-wasm"],
    version: /^v/,
    memory: "SharedArrayBuffer",
  },
  { ...threads, name: "Node 22", command: () => [programOf("@node-22", "bin/node")], version: /^v22\./ },
  { ...threads, name: "Node 24", command: () => [programOf("@node-24", "bin/node")], version: /^v24\./ },
  { ...roughly, name: "Bun, by worker_threads", command: bun, version: /^1\./ },
  { ...roughly, workers: "Worker", name: "Bun, by Worker", command: bun, version: /^1\./ },
  { ...roughly, name: "Deno, by worker_threads", command: deno, version: /^2\./ },
  { ...roughly, workers: "Worker", name: "Deno, by Worker", command: deno, version: /^2\./ },
];

/** The output of fixtures/threads.js. */
interface Told {
  readonly runtime: string;
  readonly memory: string;
  /** The admissions of four threads under each of two limiters. */
  readonly totals: readonly number[];
  readonly threads: number;
  readonly admittedLate: readonly number[];
  readonly used: readonly (readonly number[])[];
  readonly capacity: number;
  readonly disagreementMs: readonly number[];
}

describe.each(SHARING)("threads that share limits in $name", ({ command, version, ...sharing }) => {
  it("admit exactly the capacity, by clocks that agree", async () => {
    const [program, ...parameters] = command();
    const script = [...parameters, "threads.js", sharing.workers];
    const { status, stdout, stderr } = await run(program, script, { cwd: FIXTURES, env: ENVIRONMENT });
    expect([status, stderr]).toEqual([0, ""]);
    const { disagreementMs, capacity, ...told } = JSON.parse(stdout) as Told;
    expect(told).toEqual({
      runtime: expect.stringMatching(version) as string,
      memory: sharing.memory,
      totals: [capacity, capacity],
      threads: expect.any(Number) as number,
      admittedLate: [0, 0],
      used: [[capacity], [capacity, capacity]],
    });
    expect(told.threads).toBeGreaterThan(1);
    expect(disagreementMs).toHaveLength(5);
    expect(Math.max(...disagreementMs)).toBeLessThan(sharing.agreedMs);
  });
});
