import type { Contender, CreateContender } from "../contenders/contender.ts";
import { CHUNK } from "../workloads/chunk.ts";
import type { Job, Pass } from "../workloads/job.ts";
import { KeyPool } from "../workloads/key-pool.ts";
import { drawIn } from "../workloads/order.ts";
import { decideChunk } from "./decide-chunk.ts";
import { expectAdmitted } from "./expect-admitted.ts";
import { insertInGroups, insertKeys } from "./insert.ts";
import type { Measurements, Weight } from "./measurements.ts";
import { bytesInUse, collectMs } from "./memory.ts";

/** Does a job with a contender. */
export async function measure(create: CreateContender, job: Job): Promise<Measurements> {
  const pool = new KeyPool(job.keys);
  if (job.weighs) return { ns: {}, weight: await weigh(create, job, pool) };

  const contender = create({ limit: job.limit, pool });
  await insertKeys(contender, job.keys, job.limit);
  const ns: Measurements["ns"] = {};
  for (const pass of job.passes) ns[pass.table] = await nsPerDecision(contender, job, pass);
  contender.close();
  return { ns };
}

/** Warms up with a contender of its own: a stall should be the store's, not the compiler's. */
async function weigh(create: CreateContender, { keys, limit, warmUp }: Job, pool: KeyPool): Promise<Weight> {
  const setup = { limit, pool };
  const first = create(setup);
  await insertKeys(first, warmUp * CHUNK, limit);
  first.close();

  const bytesBefore = await bytesInUse();
  const contender = create(setup);
  const worstStallMs = await insertInGroups(contender, keys);
  const bytesPerKey = ((await bytesInUse()) - bytesBefore) / keys;
  const weight = { bytesPerKey, worstStallMs, collectMs: collectMs() };
  contender.close();
  return weight;
}

async function nsPerDecision(contender: Contender, job: Job, { order }: Pass): Promise<number> {
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
  expectAdmitted(admitted, job.limit === "ample" ? (job.warmUp + job.chunks) * CHUNK : 0);
  return (ms * 1_000_000) / (job.chunks * CHUNK);
}
