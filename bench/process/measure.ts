import { setImmediate as nextTurn } from "node:timers/promises";
import { KeyPool } from "../harness/keys.ts";
import { expectCount } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";
import { ENTRIES } from "./catalog.ts";
import type { Contender, CreateContender } from "./contender.ts";
import { CHUNK, type Draw, drawIn, GROUP, type Job, type Order, UNITS } from "./jobs.ts";

export type JobOrder = { readonly row: string; readonly job: Job };

/** Does a job with a contender, in this process. @throws Error when it admits one call too many or too few. */
export async function measureJob({ row, job }: JobOrder): Promise<Measured[]> {
  const entry = ENTRIES.find(({ id }) => id === row);
  if (entry === undefined || "native" in entry) throw new Error(`expected a row that runs in Node, got ${row}`);
  const create = await entry.load();
  const pool = new KeyPool(job.keys);
  if (job.weighs) return [{ table: "weight", row, figures: await weigh(create, job, pool) }];

  const contender = create({ units: UNITS[job.limit], pool });
  await insertKeys(contender, job.keys, job.limit, CHUNK);
  const measured: Measured[] = [];
  for (const [table, order] of Object.entries(job.passes)) {
    measured.push({ table, row, figures: { ns: await nsPerDecision(contender, job, order) } });
  }
  contender.close?.();
  return measured;
}

async function nsPerDecision(contender: Contender, job: Job, order: Order): Promise<number> {
  const draw = drawIn(order, job.keys);
  let ms = 0;
  let admitted = 0;
  for (let chunk = -job.warmUp; chunk < job.chunks; chunk += 1) {
    const timed = await decideChunk(contender, draw, CHUNK);
    admitted += timed.admitted;
    if (chunk >= 0) ms += timed.worstMs;
  }
  expectCount("calls admitted", admitted, job.limit === "ample" ? (job.warmUp + job.chunks) * CHUNK : 0);
  return (ms * 1_000_000) / (job.chunks * CHUNK);
}

/**
 * Decides about a chunk, with `group` keys between readings of the clock. Returns the slowest time. Off-clock
 * are the making of keys and a turn of the event loop, in which timers run as in a server.
 */
async function decideChunk(contender: Contender, draw: Draw, group: number) {
  contender.prepare(draw());
  await nextTurn();
  let admitted = 0;
  let worstMs = 0;
  for (let from = 0; from < CHUNK; from += group) {
    const startMs = performance.now();
    const count = contender.decide(from, from + group);
    admitted += typeof count === "number" ? count : await count;
    worstMs = Math.max(worstMs, performance.now() - startMs);
  }
  return { admitted, worstMs };
}

/** Decides about every key once, in whole chunks: the last repeats the first keys. Returns the slowest group's time. */
async function insertKeys(contender: Contender, keys: number, limit: Job["limit"], group: number): Promise<number> {
  const draw = drawIn("in turn", keys);
  let admitted = 0;
  let decisions = 0;
  let worstMs = 0;
  for (; decisions < keys; decisions += CHUNK) {
    const timed = await decideChunk(contender, draw, group);
    admitted += timed.admitted;
    worstMs = Math.max(worstMs, timed.worstMs);
  }
  expectCount("calls admitted", admitted, limit === "ample" ? decisions : keys);
  return worstMs;
}

/** Inserts a million keys. Another contender warms up first, so that a stall is the store's and not the compiler's. */
async function weigh(
  create: CreateContender,
  { keys, limit, warmUp }: Job,
  pool: KeyPool,
): Promise<Measured["figures"]> {
  const first = create({ units: UNITS[limit], pool });
  await insertKeys(first, warmUp * CHUNK, limit, GROUP);
  first.close?.();

  const bytesBefore = await bytesInUse();
  const contender = create({ units: UNITS[limit], pool });
  const worstStallMs = await insertKeys(contender, keys, limit, GROUP);
  const bytesPerKey = ((await bytesInUse()) - bytesBefore) / keys;
  const figures = { bytesPerKey, worstStallMs, collectMs: collectMs() };
  contender.close?.();
  return figures;
}

const COLLECTIONS = 3;

async function bytesInUse(): Promise<number> {
  for (let i = 0; i < COLLECTIONS; i += 1) {
    collect();
    // Node frees buffers in a later turn.
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

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
