import { FollowedLimits } from "../limits/followed-limits.ts";
import type { Log } from "../log/log.ts";
import { type Service, startService } from "../service.ts";
import { type FromWorker, type ToWorker, WORKER_ENV, type WorkerRequest } from "./messages.ts";
import type { WorkersSettings } from "./start-workers.ts";
import { WorkerPeers } from "./worker-peers.ts";

/** Runs one of several processes on a port. The primary process has the admin listener, and says when to stop. */
export async function runWorker(settings: WorkersSettings, log: Log): Promise<void> {
  const worker = new RunningWorker(settings, log);
  // Before anything is asked: the answers are messages.
  process.on("message", (message: ToWorker | { readonly type: "process:msg" }) => {
    // The answers of the store of the primary process pass by here, too.
    if (message.type !== "process:msg") void worker.obey(message);
  });
  // A terminal sends its signals to all processes of a group.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void worker.stop());
  process.on("SIGHUP", () => {});
  // Without its primary a worker gets no connections.
  process.on("disconnect", () => void worker.stop());
  try {
    const { url, grpcPort } = await worker.start();
    tell({ type: "ready", url, grpcPort });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    // The process ends when the primary has got the message.
    process.send?.({ type: "failed", name, message } satisfies FromWorker, () => process.exit(1));
  }
}

class RunningWorker {
  readonly #settings: WorkersSettings;
  readonly #log: Log;
  readonly #peers: WorkerPeers;
  readonly #followed: Promise<FollowedLimits | undefined>;
  #service: Service | undefined;

  constructor(settings: WorkersSettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
    const own = process.env[WORKER_ENV] ?? "";
    this.#peers = new WorkerPeers(own, settings.workers, tell, (request) => this.#answer(request as WorkerRequest));
    this.#followed = this.#peers.limits().then((state) => state && new FollowedLimits(state));
  }

  async start(): Promise<Service> {
    const measures = this.#settings.admin !== undefined;
    const followed = await this.#followed;
    this.#service = await startService({
      ...this.#settings,
      admin: undefined,
      measures,
      log: this.#log,
      peers: this.#peers,
      followed,
    });
    return this.#service;
  }

  async obey(message: ToWorker): Promise<void> {
    switch (message.type) {
      case "ask":
      case "answer":
        return this.#peers.take(message);
      case "reload":
        return this.#service?.reload();
      case "stop":
        return this.stop();
      default:
        return message satisfies never;
    }
  }

  async stop(): Promise<void> {
    await this.#service?.close();
    process.exit(0);
  }

  /** Without an answer, the primary process says that this worker has not done what it asked for. */
  async #answer(request: WorkerRequest): Promise<unknown> {
    try {
      if (request.what === "follow") return await (await this.#followed)?.take(request.state);
      if (request.what === "metrics") return await this.#service?.collect?.();
      return await this.#service?.answerLead?.(request);
    } catch (error) {
      const text = `the worker could not do what the primary process asked for: ${String(error)}`;
      this.#log({ level: "error", event: "worker-refused", text, fields: { what: request.what } });
      return undefined;
    }
  }
}

function tell(message: FromWorker): void {
  // The channel is closed when the primary is gone.
  if (process.connected) process.send?.(message);
}
