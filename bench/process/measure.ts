import { setImmediate as nextTurn } from "node:timers/promises";
import { KeyPool } from "../harness/keys.ts";
import { bytesInUse, collect, expectCount } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";
import { ENTRIES, KINDS } from "./catalog.ts";
import { type Contender, type CreateContender, setupOf } from "./contender.ts";
import { allKeysOf, CHUNK, type Draw, drawIn, type Job, type Order } from "./jobs.ts";
import type { loadVariant as LoadVariant } from "./tollgate.ts";

export type JobOrder = { readonly row: string; readonly job: Job };
export type KindsOrder = { readonly rows: readonly string[]; readonly job: Job };

/** Does a job with a contender, in this process. @throws Error when it admits one call too many or too few. */
export async function measureJob({ row, job }: JobOrder): Promise<Measured[]> {
  const entry = ENTRIES.find(({ id }) => id === row);
  if (entry === undefined || "native" in entry) throw new Error(`expected a row that runs in Node, got ${row}`);
  const create = await entry.load();
  const pool = new KeyPool(allKeysOf(job), job.text);
  if (job.special === "inserting") return [{ table: "weight", row, figures: await weigh(create, job, pool) }];

  if (job.special === "a minute") return [{ table: "refilled", row, figures: await oneMinute(create, job, pool) }];

  const contender = create(setupOf(job, pool));
  await insertKeys(contender, job.keys, job.limit, CHUNK);
  if (job.special === "upkeep") return [{ table: "weight", row, figures: upkeep(contender) }];
  await fillGroups(contender, job);
  const measured: Measured[] = [];
  for (const [table, order] of Object.entries(job.passes)) {
    measured.push({ table, row, figures: { [job.figure]: await nsPerDecision(contender, job, order) } });
  }
  contender.close?.();
  return measured;
}

const GROUPS = 1_000;
const GROUP_MS = 10;

/** If the clock can be moved: every key has a call in each of the finest groups, so that no window has empty ones. */
async function fillGroups(contender: Contender, { keys }: Job): Promise<void> {
  const all = Uint32Array.from({ length: keys }, (_, index) => index);
  for (let group = 0; contender.skip !== undefined && group < GROUPS; group += 1) {
    contender.skip(GROUP_MS);
    contender.prepare(all);
    expectCount("calls admitted", await contender.decide(0, keys), keys);
  }
}

const MINUTE_MS = 60_000;
const CHUNKS_A_MINUTE = 1_500;

/** Bytes a key after a minute in which every key comes about once a second, and after another with a single key. */
async function oneMinute(create: CreateContender, job: Job, pool: KeyPool): Promise<Measured["figures"]> {
  const bytesBefore = await bytesInUse();
  const contender = create(setupOf(job, pool));
  const bytesAKey = async (draw: Draw) => {
    for (let chunk = 0; chunk < CHUNKS_A_MINUTE; chunk += 1) {
      contender.skip?.(MINUTE_MS / CHUNKS_A_MINUTE);
      await decideChunk(contender, draw, CHUNK);
    }
    return ((await bytesInUse()) - bytesBefore) / job.keys;
  };
  return { minute: await bytesAKey(drawIn("uniform", job.keys)), later: await bytesAKey(drawIn("uniform", 1)) };
}

/** Both while the store has keys. */
function upkeep(contender: Contender): Measured["figures"] {
  return { sweep: msOf(() => contender.sweep?.()), clear: msOf(() => contender.clear?.()) };
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
  expectCount("calls admitted", admitted, job.limit === "exhausted" ? 0 : (job.warmUp + job.chunks) * CHUNK);
  return (ms * 1_000_000) / (job.chunks * CHUNK);
}

/** Kinds that run in this process together: each has a copy of its module, so that it has loops of its own. */
export async function measureKinds({ rows, job }: KindsOrder): Promise<Record<string, number>> {
  const pool = new KeyPool(job.keys);
  const kinds: { row: string; contender: Contender; draw: Draw; ms: number }[] = [];
  for (const row of rows) {
    const { loadVariant } = (await import(`./tollgate.js?${row}`)) as { readonly loadVariant: typeof LoadVariant };
    const contender = (await loadVariant(KINDS.get(row)!.variant))(setupOf(job, pool));
    await insertKeys(contender, job.keys, job.limit, CHUNK);
    kinds.push({ row, contender, draw: drawIn("uniform", job.keys), ms: 0 });
  }
  for (let chunk = -job.warmUp; chunk < job.chunks; chunk += 1) {
    for (const kind of kinds) {
      const { admitted, worstMs } = await decideChunk(kind.contender, kind.draw, CHUNK);
      expectCount("calls admitted", admitted, CHUNK);
      if (chunk >= 0) kind.ms += worstMs;
    }
  }
  return Object.fromEntries(kinds.map(({ row, ms }) => [row, (ms * 1_000_000) / (job.chunks * CHUNK)]));
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
  expectCount("calls admitted", admitted, limit === "exhausted" ? keys : decisions);
  return worstMs;
}

/** Inserts a million keys. Another contender warms up first, so that a stall is the store's and not the compiler's. */
async function weigh(create: CreateContender, job: Job, pool: KeyPool): Promise<Measured["figures"]> {
  const first = create(setupOf(job, pool));
  await insertKeys(first, job.warmUp * CHUNK, job.limit, 1);
  first.close?.();

  const bytesBefore = await bytesInUse();
  const contender = create(setupOf(job, pool));
  const worstStallMs = await insertKeys(contender, job.keys, job.limit, 1);
  const bytesPerKey = ((await bytesInUse()) - bytesBefore) / job.keys;
  const collectMs = Array.from({ length: COLLECTIONS }, () => msOf(collect)).toSorted((a, b) => a - b)[1]!;
  contender.close?.();
  return { bytesPerKey, worstStallMs, collectMs };
}

const COLLECTIONS = 3;

function msOf(work: () => void): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}
