import { Counter, Gauge, Registry } from "prom-client";
import type { LocalStore } from "tollgate";
import { familiesOf, mergeFamilies } from "../admin/families.ts";
import { storeMetrics } from "../admin/limiter-metrics.ts";
import { measureLimitsFiles, measureOverrides } from "../admin/limits-metrics.ts";
import type { Metrics } from "../admin/service-metrics.ts";
import type { PrimaryLimits } from "./primary-limits.ts";
import { readyCount, type WorkerSlot } from "./worker-slot.ts";

/** The metrics of all workers as one, and what the primary process alone knows. */
export function workersMetrics(
  slots: readonly WorkerSlot[],
  limits: PrimaryLimits | undefined,
  store: LocalStore | undefined,
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (limits !== undefined) {
    measureLimitsFiles(() => limits.status, registry);
    measureOverrides(limits.inForce, registry);
  }
  const ready: Gauge = new Gauge({
    name: "tollgate_workers_ready",
    help: "Worker processes that accept connections.",
    registers,
    collect: () => ready.set(readyCount(slots)),
  });
  const restarts: Counter = new Counter({
    name: "tollgate_worker_restarts_total",
    help: "How often a worker process was started again.",
    registers,
    collect: () => {
      restarts.reset();
      restarts.inc(slots.reduce((sum, slot) => sum + slot.restarts, 0));
    },
  });
  const ofStore = store && storeMetrics(store);
  return {
    collect: async () => {
      const families = await Promise.all(slots.map((slot) => slot.collect()));
      return [...mergeFamilies([...families, (await ofStore?.()) ?? []]), ...(await familiesOf(registry))];
    },
  };
}
