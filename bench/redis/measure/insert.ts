import { expectAdmitted } from "../../measure/expect-admitted.ts";
import type { KeyPool } from "../../workloads/key-pool.ts";
import { type Contender, decide } from "../contenders/contender.ts";
import type { Workload } from "../workload.ts";

const AT_ONCE = 512;

/** Asks about every key once. Those that are to be denied have a unit each: they are asked about again, to be known for it. */
export async function insertKeys(contender: Contender, pool: KeyPool, workload: Workload): Promise<void> {
  expectAdmitted(await askAboutAll(contender, pool), pool.count);
  if (workload === "denied keys") expectAdmitted(await askAboutAll(contender, pool), 0);
}

async function askAboutAll(contender: Contender, pool: KeyPool): Promise<number> {
  let admitted = 0;
  for (let from = 0; from < pool.count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, pool.count - from);
    const answers = await Promise.all(Array.from({ length }, (_, i) => decide(contender, pool.key(from + i))));
    admitted += answers.filter(Boolean).length;
  }
  return admitted;
}
