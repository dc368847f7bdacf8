import type { Limiter } from "tollgate";
import { KeyPool } from "../../workloads/key-pool.ts";
import { expectCount } from "../measure/expect-count.ts";
import { sumOf, type ThreadSample } from "../measure/thread-sample.ts";
import type { SharedVariant } from "../row.ts";
import { CAPACITY, UNIT_MS } from "../units.ts";
import { keysOf } from "./deciders.ts";
import { keyOrder, timesEach } from "./key-order.ts";

/** All calls were admitted, and of each key as much is left as its calls have left. */
export function checkAdmitted(
  limiter: Limiter,
  form: SharedVariant["form"],
  samples: readonly ThreadSample[],
  sinceOpenedMs: number,
): void {
  const calls = sumOf(samples, ({ callsInAll }) => callsInAll);
  expectCount(
    "calls admitted",
    sumOf(samples, ({ admittedInAll }) => admittedInAll),
    calls,
  );

  const keys = keysOf(form);
  const pool = new KeyPool(keys);
  const taken = new Float64Array(keys);
  for (const [thread, { callsInAll }] of samples.entries()) {
    const times = timesEach(keyOrder(thread, keys), callsInAll);
    for (let index = 0; index < keys; index += 1) taken[index] = taken[index]! + times[index]!;
  }
  // On a machine that is slow beyond measure, units have come back.
  const mostBack = Math.floor(sinceOpenedMs / UNIT_MS);
  for (let index = 0; index < keys; index += 1) {
    const missing = CAPACITY - limiter.peek(pool.key(index), 0).remaining;
    const isRight = missing <= taken[index]! && missing >= taken[index]! - mostBack;
    if (!isRight) expectCount(`units taken from key ${index}`, missing, taken[index]!);
  }
}

export function checkDenied(limiter: Limiter, samples: readonly ThreadSample[]): void {
  expectCount(
    "calls admitted",
    sumOf(samples, ({ admittedInAll }) => admittedInAll),
    0,
  );
  expectCount("units left", limiter.peek(new KeyPool(1).key(0), 0).remaining, 0);
}
