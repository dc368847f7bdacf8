import cluster from "node:cluster";
import type { LocalStore } from "tollgate";
import type { Admin } from "../admin/admin.ts";
import { LogEvents } from "../dashboard/log-events.ts";
import { openMemory } from "../limits/store.ts";
import type { Log } from "../log/log.ts";
import { type AdminParts, openAdmin } from "../open-admin.ts";
import { openCertificates } from "../open-certificates.ts";
import type { Service, ServiceSettings } from "../service.ts";
import { configurationOf } from "./configuration-of-workers.ts";
import { PrimaryLimits } from "./primary-limits.ts";
import { type PassOn, readyCount, WorkerSlot } from "./worker-slot.ts";

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
  const tls = settings.admin && settings.tls && (await openCertificates(settings.tls, log));
  let isStopping = false;
  let admin: Admin | undefined;
  const close = async (): Promise<void> => {
    isStopping = true;
    await Promise.all(slots.map((slot) => slot.stop(GRACE_MS)));
    await admin?.close();
    tls?.close();
    limits?.close();
    store?.close();
  };
  try {
    // The first one alone: it finds the port, and what is wrong with flags is told once.
    const [first, ...others] = slots;
    const ready = await first?.start();
    await Promise.all(others.map((slot) => slot.start()));
    admin = await openAdminOf(settings, slots, limits, { log, events, tls, store, isRunning: () => !isStopping });
    let closed: Promise<void> | undefined;
    return {
      url: ready?.url ?? "",
      grpcPort: ready?.grpcPort,
      adminUrl: admin?.url,
      reload: () => {
        tls?.reload();
        limits?.reload();
        for (const slot of slots) slot.tell({ type: "reload" });
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

async function openAdminOf(
  { admin, workers: of }: WorkersSettings,
  slots: readonly WorkerSlot[],
  limits: PrimaryLimits | undefined,
  {
    isRunning,
    store,
    ...parts
  }: Pick<AdminParts, "log" | "events" | "tls"> & {
    readonly isRunning: () => boolean;
    readonly store: LocalStore | undefined;
  },
): Promise<Admin | undefined> {
  if (admin === undefined) return undefined;
  const { workersMetrics } = await import("./workers-metrics.ts");
  const processes = () => ({ ready: readyCount(slots), of });
  const health = () => ({ workers: processes(), ...limits?.health() });
  const reached = { adminRoutes: { "/rlconfig": configurationOf(slots) }, ...limits?.reached, health };
  const isReady = () => isRunning() && readyCount(slots) > 0;
  const metrics = workersMetrics(slots, limits, store);
  return openAdmin(admin, reached, { ...parts, isReady, metrics, processes });
}

/** The memory in which all workers count; `undefined` if that is in Redis. */
async function serveStore(application: ServiceSettings["application"]): Promise<LocalStore | undefined> {
  if (application.kind !== "limits" || application.redis !== undefined) return undefined;
  const { serveWorkers } = await import("tollgate/cluster");
  return serveWorkers({ cluster, store: openMemory(application) }).store;
}
