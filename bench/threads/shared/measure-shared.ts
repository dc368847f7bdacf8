import { sharedStore } from "tollgate/shared";
import { KeyPool } from "../../workloads/key-pool.ts";
import { Barrier } from "../measure/barrier.ts";
import { expectCount } from "../measure/expect-count.ts";
import { startWorkers } from "../measure/start-workers.ts";
import { perSecondOf } from "../measure/thread-sample.ts";
import type { SharedOrder } from "../measure/worker-order.ts";
import type { Plan } from "../plan.ts";
import type { SharedVariant } from "../row.ts";
import { MANY_KEYS } from "../units.ts";
import { checkAdmitted, checkDenied } from "./check.ts";
import { openLimiter } from "./open-limiter.ts";

export async function measureShared(variant: SharedVariant, threads: number, plan: Plan): Promise<number> {
  const store = sharedStore({ maxKeys: MANY_KEYS });
  const limiter = openLimiter(store, { ...variant, clock: "per call" });
  const openedMs = store.clock.now();
  if (variant.limit === "exhausted")
    expectCount("calls that exhaust the limit", Number(limiter.allow(new KeyPool(1).key(0))), 1);

  const barrier = Barrier.memory();
  const orders = Array.from(
    { length: threads },
    (_, thread): SharedOrder => ({ does: "decides", plan, barrier, threads, variant, store: store.handle, thread }),
  );
  const samples = await startWorkers(orders);
  if (variant.limit === "ample") checkAdmitted(limiter, variant.form, samples, store.clock.now() - openedMs);
  else checkDenied(limiter, samples);
  return perSecondOf(samples);
}
