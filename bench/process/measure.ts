import { setImmediate as nextTurn } from "node:timers/promises";
import type { Figures } from "../harness/figures.ts";
import { KeyPool, randomBelow } from "../harness/keys.ts";
import { bytesInUse, expectCount } from "../harness/measuring.ts";
import type { Contender, CreateContender, Setup } from "./contender.ts";
import { rowOf } from "./rows.ts";
import { CHUNK, type Plan, type RowOrder, TABLES, UNITS } from "./tables.ts";

const SEED = 20_260_101;

/** Measures a row in this process. @throws Error when it admits one call too many or too few. */
export async function measureRow({ table, row, plan }: RowOrder): Promise<Figures> {
  const { keys, units } = TABLES[table];
  const setup: Setup = { pool: new KeyPool(keys), units: UNITS[units] };
  const create = await rowOf(row).load();
  if (table === "weight") return weigh(create, setup, plan);
  const contender = create(setup);
  await insertKeys(contender, setup, CHUNK);
  return { ns: await nsPerCall(contender, setup, plan) };
}

export async function nsPerCall(contender: Contender, { pool, units }: Setup, plan: Plan): Promise<number> {
  const below = randomBelow(SEED);
  const draw = () => below(pool.count);
  let ms = 0;
  let admitted = 0;
  for (let chunk = -plan.warmUp; chunk < plan.chunks; chunk += 1) {
    const timed = await decideChunk(contender, draw, CHUNK);
    admitted += timed.admitted;
    if (chunk >= 0) ms += timed.worstMs;
  }
  expectCount("calls admitted", admitted, units === UNITS.exhausted ? 0 : (plan.warmUp + plan.chunks) * CHUNK);
  return (ms * 1_000_000) / (plan.chunks * CHUNK);
}

/**
 * Decides about a chunk, with `group` keys between readings of the clock. Returns the slowest time. Off-clock
 * are the making of keys and a turn of the event loop, in which timers run as in a server.
 */
async function decideChunk(contender: Contender, draw: () => number, group: number) {
  contender.prepare(Uint32Array.from({ length: CHUNK }, draw));
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
async function insertKeys(contender: Contender, { pool, units }: Setup, group: number): Promise<number> {
  let next = -1;
  const draw = () => {
    next = next + 1 === pool.count ? 0 : next + 1;
    return next;
  };
  let [admitted, decisions, worstMs] = [0, 0, 0];
  for (; decisions < pool.count; decisions += CHUNK) {
    const timed = await decideChunk(contender, draw, group);
    admitted += timed.admitted;
    worstMs = Math.max(worstMs, timed.worstMs);
  }
  expectCount("calls admitted", admitted, units === UNITS.exhausted ? pool.count : decisions);
  return worstMs;
}

/** Inserts a million keys. Another contender warms up first, so that a stall is the store's and not the compiler's. */
async function weigh(create: CreateContender, setup: Setup, plan: Plan): Promise<Figures> {
  const few = { ...setup, pool: new KeyPool(plan.warmUp * CHUNK) };
  await insertKeys(create(few), few, 1);
  const bytesBefore = await bytesInUse();
  const contender = create(setup);
  const worstMs = await insertKeys(contender, setup, 1);
  const bytes = ((await bytesInUse()) - bytesBefore) / setup.pool.count;
  // Used after the measurement, so that the collector cannot take it before.
  expectCount("calls admitted", await contender.decide(0, 1), 1);
  return { bytes, worstMs };
}
