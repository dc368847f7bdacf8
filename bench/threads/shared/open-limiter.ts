import { coarseClock, createLimiter, type Limiter } from "tollgate";
import type { SharedStore } from "tollgate/shared";
import { limitsOf } from "../limits.ts";
import type { SharedVariant } from "../row.ts";

/** The same limiter in each thread. */
export function openLimiter(store: SharedStore, variant: SharedVariant): Limiter {
  const clock = variant.clock === "coarse" ? coarseClock(store.clock) : store.clock;
  return createLimiter({ name: "bench", limits: limitsOf(variant), store, clock });
}
