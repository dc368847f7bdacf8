import cluster from "node:cluster";
import { createServer } from "node:http";
import type { LocalStore } from "tollgate";
import type { Admin } from "../admin/admin.ts";
import { type Family, mergeFamilies } from "../admin/families.ts";
import type { Application } from "../application.ts";
import { LogEvents } from "../dashboard/log-events.ts";
import { LimiterSet } from "../limiter-set.ts";
import { openMemory } from "../limits/store.ts";
import type { Log } from "../log/log.ts";
import { openCertificates } from "../open-certificates.ts";
import { dashboardOf, type Service, type ServiceSettings } from "../service.ts";
import { configurationOf } from "./configuration-of-workers.ts";
import { PrimaryLimits } from "./primary-limits.ts";
import { type PassOn, WorkerSlot } from "./worker-slot.ts";

export interface WorkersSettings extends ServiceSettings {
  readonly workers: number;
}

/** How long workers may take to finish their requests: they have ten seconds themselves. */
const GRACE_MS = 12_000;

/**
 * Starts so many processes that serve one port, and the admin listener in this one. It resolves when all of them accept
 * connections.
 *
 * @throws FilesError or LimitsError if the limits files are wrong; WorkerError with what a worker says; ListenError if
 * the admin listener's address is not available.
 */
export async function startWorkers(settings: WorkersSettings, ownLog: Log): Promise<Service> {
  const events = new LogEvents();
  const log = events.follow(ownLog);
  // Figures such as infinity have no JSON.
  cluster.setupPrimary({ args: process.argv.slice(2), serialization: "advanced" });
  const passOnTo: PassOn = (message, from) => passOn(slots, message, from);
  const slots: readonly WorkerSlot[] = Array.from(
    { length: settings.workers },
    (_, i) => new WorkerSlot(i + 1, { log, passOn: passOnTo, lead: () => limits?.state }),
  );
  const store = await serveStore(settings.application);
  const limits = await PrimaryLimits.open(settings, slots, store, log);
  let isStopping = false;
  let admin: Admin | undefined;
  const close = async (): Promise<void> => {
    isStopping = true;
    await Promise.all(slots.map((slot) => slot.stop(GRACE_MS)));
    await admin?.close();
    limits?.close();
    store?.close();
  };
  try {
    // The first one alone: it finds the port, and what is wrong with flags is told once.
    const [first, ...others] = slots;
    const ready = await first?.start();
    await Promise.all(others.map((slot) => slot.start()));
    admin = await openAdmin(settings, log, slots, { limits, store, events }, () => !isStopping);
    let closed: Promise<void> | undefined;
    return {
      url: ready?.url ?? "",
      grpcPort: ready?.grpcPort,
      adminUrl: admin?.url,
      reload: () => {
        if (limits !== undefined) limits.reload();
        else for (const slot of slots) slot.tell({ type: "reload" });
      },
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function passOn(slots: readonly WorkerSlot[], { type, id, to, content }: Parameters<PassOn>[0], from: string): void {
  const target = slots[Number(to) - 1];
  if (target?.isReady === true) target.tell({ type, id, from, content });
  // A worker that asks need not wait for one that is not there.
  else if (type === "ask") slots[Number(from) - 1]?.tell({ type: "answer", id, from: to, content: undefined });
}

interface Parts {
  readonly limits: PrimaryLimits | undefined;
  readonly store: LocalStore | undefined;
  readonly events: LogEvents;
}

async function openAdmin(
  { admin, workers, tls }: WorkersSettings,
  log: Log,
  slots: readonly WorkerSlot[],
  { limits, store, events }: Parts,
  isRunning: () => boolean,
): Promise<Admin | undefined> {
  if (admin === undefined) return undefined;
  const readyCount = (): number => slots.filter(({ isReady }) => isReady).length;
  const application: Application = {
    routes: {},
    adminRoutes: limits?.routes ?? { "/rlconfig": configurationOf(slots) },
    limiters: new LimiterSet(),
    health: () => ({ workers: { ready: readyCount(), of: workers }, ...limits?.health() }),
    close: () => {},
  };
  const { startAdmin } = await import("../admin/admin.ts");
  const certificates = tls && (await openCertificates(tls, log));
  const ownLimits = limits === undefined ? undefined : await measureLimits(limits);
  const ownStore = store === undefined ? undefined : await measureStore(store);
  const collect = async (): Promise<readonly Family[]> => {
    const families = await Promise.all(slots.map((slot) => slot.collect()));
    const merged = mergeFamilies([...families, (await ownStore?.()) ?? []]);
    return [...merged, ...((await ownLimits?.()) ?? []), ...ownFamilies(readyCount(), slots)];
  };
  const isReady = (): boolean => isRunning() && readyCount() > 0;
  const metrics = { collect, close: () => certificates?.close() };
  const processes = () => ({ ready: readyCount(), of: workers });
  const openDashboard =
    limits === undefined || admin.tokens === undefined
      ? undefined
      : await dashboardOf({ operations: limits.operations, status: () => limits.status, events, processes }, log);
  const server = createServer();
  return startAdmin({ ...admin, log, isReady, server, application, tls: certificates, metrics, openDashboard });
}

async function measureLimits(limits: PrimaryLimits): Promise<() => Promise<readonly Family[]>> {
  const { limitsMetrics } = await import("../admin/limits-metrics.ts");
  return limitsMetrics(() => limits.status, limits.inForce);
}

async function measureStore(store: LocalStore): Promise<() => Promise<readonly Family[]>> {
  const { storeMetrics } = await import("../admin/limiter-metrics.ts");
  return storeMetrics(store);
}

/** The memory in which all workers count; `undefined` if that is in Redis. */
async function serveStore(application: ServiceSettings["application"]): Promise<LocalStore | undefined> {
  if (application.kind !== "limits" || application.redis !== undefined) return undefined;
  const { serveWorkers } = await import("tollgate/cluster");
  return serveWorkers({ cluster, store: openMemory(application) }).store;
}

function ownFamilies(ready: number, slots: readonly WorkerSlot[]): readonly Family[] {
  const restarts = slots.reduce((sum, slot) => sum + slot.restarts, 0);
  return [
    {
      name: "tollgate_workers_ready",
      help: "Worker processes that accept connections.",
      type: "gauge",
      aggregator: "sum",
      values: [{ value: ready, labels: {} }],
    },
    {
      name: "tollgate_worker_restarts_total",
      help: "How often a worker process was started again.",
      type: "counter",
      aggregator: "sum",
      values: [{ value: restarts, labels: {} }],
    },
  ];
}
