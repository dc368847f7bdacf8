import type { Log } from "../log/log.ts";
import { type Service, type ServiceSettings, startService } from "../service.ts";
import { type FromWorker, type ToWorker, WORKER_ENV } from "./messages.ts";
import { WorkerPeers } from "./worker-peers.ts";

/** How often a worker looks whether its files have been read. */
const STATUS_MS = 250;

/** Runs one of several processes on a port. The primary process has the admin listener, and says when to stop. */
export async function runWorker(settings: ServiceSettings, log: Log): Promise<void> {
  let service: Service;
  const peers = new WorkerPeers(process.env[WORKER_ENV] ?? "", tell);
  try {
    const measures = settings.admin !== undefined;
    service = await startService({ ...settings, admin: undefined, measures, log, peers });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    // The process ends when the primary has got the message.
    process.send?.({ type: "failed", name, message } satisfies FromWorker, () => process.exit(1));
    return;
  }
  const stop = async (): Promise<void> => {
    await service.close();
    process.exit(0);
  };
  process.on("message", (message: ToWorker) => void obey(service, peers, message, stop));
  // A terminal sends its signals to all processes of a group.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop());
  process.on("SIGHUP", () => {});
  // Without its primary a worker gets no connections.
  process.on("disconnect", () => void stop());
  tellStatus(service);
  tell({ type: "ready", url: service.url, grpcPort: service.grpcPort });
}

async function obey(service: Service, peers: WorkerPeers, message: ToWorker, stop: () => Promise<void>): Promise<void> {
  switch (message.type) {
    case "collect":
      return tell({ type: "collected", id: message.id, families: (await service.collect?.()) ?? [] });
    case "ask":
    case "answer":
      return peers.take(message);
    case "reload":
      return service.reload();
    case "stop":
      return stop();
    default:
      return message satisfies never;
  }
}

function tellStatus(service: Service): void {
  let told = "";
  const look = (): void => {
    const limits = service.limitsStatus?.();
    const text = JSON.stringify(limits);
    if (text === told) return;
    told = text;
    tell({ type: "status", limits });
  };
  look();
  setInterval(look, STATUS_MS).unref();
}

function tell(message: FromWorker): void {
  // The channel is closed when the primary is gone.
  if (process.connected) process.send?.(message);
}
