import type { LimiterContext } from "../../core/store.ts";
import { warnOnce } from "../../core/warnings.ts";

/** What is read of Node's global `process`. Other runtimes have less of it. */
interface Process {
  readonly send?: unknown;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly getBuiltinModule?: (name: string) => { readonly isWorker?: boolean } | undefined;
}

/**
 * Warns that a store counts for one worker of a cluster alone, so that the whole admits several times the limit. A
 * fallback is meant to, so it gives no warning.
 */
export class ClusterWarning {
  readonly #store: string;
  #isDue: boolean;

  constructor(store: string, isOn: boolean) {
    this.#store = store;
    this.#isDue = isOn;
  }

  /** A limiter uses the store. */
  opened({ isFallback }: LimiterContext): void {
    if (!this.#isDue || isFallback === true) return;
    this.#isDue = false;
    if (!isClusterWorker((globalThis as { process?: Process }).process)) return;
    warnOnce(
      "cluster-memory",
      `${this.#store} in a cluster worker: each process counts for itself, so clients get each limit once per ` +
        "process; use clusterStore or redisStore for one limit, or pass warnings: false",
    );
  }
}

function isClusterWorker(process: Process | undefined): boolean {
  // A worker has a channel to its primary. Without one, nothing else is asked: Deno wants a permission for `env`.
  if (typeof process?.send !== "function") return false;
  // Node deletes the variable when the worker starts, Bun keeps it.
  if (process.env?.["NODE_UNIQUE_ID"] !== undefined) return true;
  return typeof process.getBuiltinModule === "function" && process.getBuiltinModule("node:cluster")?.isWorker === true;
}
