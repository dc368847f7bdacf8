import { checkOptions, optionError } from "../../core/check-options.ts";
import { checkName } from "../../core/checks.ts";
import { preciseMs, readUs, systemClock } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { SyncStore } from "../../core/store.ts";
import { memoryStore } from "../memory/memory-store.ts";
import { ServedCalls } from "../owned/served-calls.ts";
import { contentOf, type Request, seal } from "./channel-messages.ts";
import type { Send } from "./primary-link.ts";

/** What is used of a worker of `node:cluster`. */
export interface ClusterWorker {
  readonly send: Send;
}

/** What is used of `node:cluster` in the primary. */
export interface ClusterPrimary {
  on(event: "message", listener: (worker: ClusterWorker, message: unknown) => void): unknown;
  off(event: "message", listener: (worker: ClusterWorker, message: unknown) => void): unknown;
}

export interface ServeWorkersOptions<Store extends SyncStore = SyncStore> {
  /** The default export of `node:cluster`. */
  readonly cluster: ClusterPrimary;
  /** The store that counts: `memoryStore()` by default. Limiters of the primary may use it, too. */
  readonly store?: Store;
  /** The store's name, if the primary has several: that of `clusterStore` in the workers. */
  readonly name?: string;
}

/** The store of the primary, and the end of its work for workers. */
export interface ServedStore<Store extends SyncStore = SyncStore> {
  readonly store: Store;
  /** Answers no more: workers decide by `onFailure`. The store stays open. */
  close(): void;
}

const NAMES: Readonly<Record<keyof ServeWorkersOptions, true>> = { cluster: true, store: true, name: true };
const HINTS = { "": "write serveWorkers({ cluster }) with the default export of node:cluster" };

/**
 * Lets the workers of `node:cluster` count in one store of the primary, by `clusterStore`.
 *
 * @throws TollgateError `ERR_OPTION`, also if the cluster has a store of this name already.
 * @example
 * ```ts
 * import cluster from "node:cluster";
 * import { memoryStore } from "tollgate";
 * import { serveWorkers } from "tollgate/cluster";
 *
 * if (cluster.isPrimary) {
 *   const served = serveWorkers({ cluster, store: memoryStore({ maxKeys: 50_000 }) });
 *   console.log(served.store.size); // 0
 *   served.close();
 * }
 * ```
 */
export function serveWorkers<Store extends SyncStore = SyncStore>(
  options: ServeWorkersOptions<Store>,
): ServedStore<Store> {
  checkOptions("serveWorkers", options, NAMES, HINTS);
  const { cluster, store = memoryStore() } = options;
  if (typeof cluster?.on !== "function") throw optionError("cluster", "the default export of node:cluster", cluster);
  if (store?.kind !== "sync" || typeof store.open !== "function") {
    throw optionError("store", "a store in this process, such as memoryStore()", store);
  }
  return new Primary(cluster, store as Store, topicOf(options.name));
}

class Primary<Store extends SyncStore> implements ServedStore<Store> {
  readonly store: Store;
  readonly #cluster: ClusterPrimary;
  readonly #topic: string;
  readonly #calls: ServedCalls;

  constructor(cluster: ClusterPrimary, store: Store, topic: string) {
    this.store = store;
    this.#cluster = cluster;
    this.#topic = topic;
    this.#calls = new ServedCalls(store, systemClock, 1 + Math.floor(Math.random() * MOST_PRIMARIES));
    this.#mark();
    cluster.on("message", this.#take);
  }

  close(): void {
    this.#cluster.off("message", this.#take);
    this.#calls.close();
    Reflect.deleteProperty(this.#cluster, Symbol.for(this.#topic));
  }

  /** Two stores of one name would both count each call. The mark is global for the copies of this package. */
  #mark(): void {
    const mark = Symbol.for(this.#topic);
    if (Object.hasOwn(this.#cluster, mark)) {
      throw new TollgateError("ERR_OPTION", "name: expected one that no other store of this cluster has, got a second");
    }
    Object.defineProperty(this.#cluster, mark, { value: true, configurable: true });
  }

  readonly #take = (worker: ClusterWorker, message: unknown): void => {
    const request = contentOf(this.#topic, message) as Request | undefined;
    if (request === undefined) return;
    const { client, id, dueMs } = request;
    const done = this.#calls.answer(request, readUs(systemClock), preciseMs() > dueMs);
    try {
      // The worker may have died meanwhile. Without a callback, Node would emit an error.
      worker.send(seal(this.#topic, { ...done, client, id, nowMs: preciseMs() }), undefined, undefined, ignore);
    } catch {
      // A channel that is closed.
    }
  };
}

/** So many that a primary hardly ever has the number of the one before. */
const MOST_PRIMARIES = 2 ** 20;

function ignore(): void {}

/** What the messages of a store are about. @throws TollgateError `ERR_NAME`. */
export function topicOf(name: unknown = "tollgate"): string {
  return `tollgate/cluster:${checkName("name", name)}`;
}
