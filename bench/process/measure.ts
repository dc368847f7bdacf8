import { setImmediate as nextTurn } from "node:timers/promises";
import { KeyPool } from "../harness/keys.ts";
import { expectCount } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";
import { ENTRIES } from "./catalog.ts";
import type { Contender, CreateContender } from "./contender.ts";
import { CHUNK, drawIn, GROUP, type Job, type Order, UNITS } from "./jobs.ts";

export interface JobOrder {
  readonly row: string;
  readonly job: Job;
}

/** Does a job with a contender, in this process. @throws Error when the contender admits one call too many or too few. */
export async function measureJob({ row, job }: JobOrder): Promise<Measured[]> {
  const entry = ENTRIES.find(({ id }) => id === row);
  if (entry === undefined || "native" in entry) throw new Error(`expected a row that runs in Node, got ${row}`);
  const create = await entry.load();
  const pool = new KeyPool(job.keys);
  if (job.weighs) return [{ table: "weight", row, figures: await weigh(create, job, pool) }];

  const contender = create({ units: UNITS[job.limit], pool });
  await insertKeys(contender, job.keys, job.limit);
  const measured: Measured[] = [];
  for (const [table, order] of job.passes) {
    measured.push({ table, row, figures: { ns: await nsPerDecision(contender, job, order) } });
  }
  contender.close?.();
  return measured;
}

async function nsPerDecision(contender: Contender, job: Job, order: Order): Promise<number> {
  const draw = drawIn(order, job.keys);
  const indices = new Uint32Array(CHUNK);
  let ms = 0;
  let admitted = 0;
  for (let chunk = -job.warmUp; chunk < job.chunks; chunk += 1) {
    draw(indices);
    const timed = await decideChunk(contender, indices);
    admitted += timed.admitted;
    if (chunk >= 0) ms += timed.ms;
  }
  expectCount("calls admitted", admitted, job.limit === "ample" ? (job.warmUp + job.chunks) * CHUNK : 0);
  return (ms * 1_000_000) / (job.chunks * CHUNK);
}

interface Timed {
  readonly admitted: number;
  readonly ms: number;
}

/** Off-clock are the making of keys and a turn of the event loop, in which timers run as in a server. */
async function decideChunk(contender: Contender, indices: Uint32Array): Promise<Timed> {
  contender.prepare(indices);
  await nextTurn();
  if (contender.kind === "async") {
    const startMs = performance.now();
    const admitted = await contender.decide(0, CHUNK);
    return { admitted, ms: performance.now() - startMs };
  }
  const startMs = performance.now();
  const admitted = contender.decide(0, CHUNK);
  return { admitted, ms: performance.now() - startMs };
}

/** Decides about every key once, in whole chunks: the last chunk repeats the first keys. */
async function insertKeys(contender: Contender, keys: number, limit: Job["limit"]): Promise<void> {
  const draw = drawIn("in turn", keys);
  const indices = new Uint32Array(CHUNK);
  let admitted = 0;
  let decisions = 0;
  for (; decisions < keys; decisions += CHUNK) {
    draw(indices);
    admitted += (await decideChunk(contender, indices)).admitted;
  }
  expectCount("calls admitted", admitted, limit === "ample" ? decisions : keys);
}

/** Inserts a million keys. Another contender warms up first, so that a stall is the store's and not the compiler's. */
async function weigh(
  create: CreateContender,
  { keys, limit, warmUp }: Job,
  pool: KeyPool,
): Promise<Measured["figures"]> {
  const first = create({ units: UNITS[limit], pool });
  await insertKeys(first, warmUp * CHUNK, limit);
  first.close?.();

  const bytesBefore = await bytesInUse();
  const contender = create({ units: UNITS[limit], pool });
  const worstStallMs = await insertInGroups(contender, keys);
  const bytesPerKey = ((await bytesInUse()) - bytesBefore) / keys;
  const figures = { bytesPerKey, worstStallMs, collectMs: collectMs() };
  contender.close?.();
  return figures;
}

/** Inserts under an ample limit and reads the clock after every few keys. Returns the time of the slowest few. */
async function insertInGroups(contender: Contender, keys: number): Promise<number> {
  const draw = drawIn("in turn", keys);
  const indices = new Uint32Array(CHUNK);
  let admitted = 0;
  let decisions = 0;
  let worstMs = 0;
  for (; decisions < keys; decisions += CHUNK) {
    draw(indices);
    contender.prepare(indices);
    await nextTurn();
    for (let from = 0; from < CHUNK; from += GROUP) {
      const startMs = performance.now();
      const count = contender.decide(from, from + GROUP);
      admitted += typeof count === "number" ? count : await count;
      worstMs = Math.max(worstMs, performance.now() - startMs);
    }
  }
  expectCount("calls admitted", admitted, decisions);
  return worstMs;
}

const COLLECTIONS = 3;

/** Bytes on the heap and in buffers after full collections. */
async function bytesInUse(): Promise<number> {
  for (let i = 0; i < COLLECTIONS; i += 1) {
    collect();
    // Node frees buffers in a later turn.
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The time of a full collection: the middle one of three. */
function collectMs(): number {
  const times = Array.from({ length: COLLECTIONS }, () => {
    const startMs = performance.now();
    collect();
    return performance.now() - startMs;
  });
  return times.toSorted((a, b) => a - b)[1]!;
}

function collect(): void {
  if (globalThis.gc === undefined) throw new Error("expected Node to run with --expose-gc");
  globalThis.gc();
}
