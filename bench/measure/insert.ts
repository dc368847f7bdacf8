import { setImmediate as nextTurn } from "node:timers/promises";
import type { Contender } from "../contenders/contender.ts";
import { CHUNK, GROUP } from "../workloads/chunk.ts";
import { drawIn } from "../workloads/order.ts";
import { decideChunk } from "./decide-chunk.ts";
import { expectAdmitted } from "./expect-admitted.ts";

/** Decides about every key once, in whole chunks: the last one comes back to the first keys. */
export async function insertKeys(contender: Contender, keys: number, limit: "ample" | "exhausted"): Promise<void> {
  const draw = drawIn("in turn", keys);
  const indices = new Uint32Array(CHUNK);
  let admitted = 0;
  let decisions = 0;
  for (; decisions < keys; decisions += CHUNK) {
    draw(indices);
    admitted += (await decideChunk(contender, indices)).admitted;
  }
  expectAdmitted(admitted, limit === "ample" ? decisions : keys);
}

/** The same under an ample limit, with a look at the clock after every few keys; says how long the slowest few took. */
export async function insertInGroups(contender: Contender, keys: number): Promise<number> {
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
  expectAdmitted(admitted, decisions);
  return worstMs;
}
