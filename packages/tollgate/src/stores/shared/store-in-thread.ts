import type { SyncBlocks } from "../../core/blocks.ts";
import { type Clock, readUs } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import { ClusterWarning } from "../local/cluster-warning.ts";
import { KeyHash, SECRET_WORDS } from "../local/key-hash.ts";
import type { LocalStore } from "../local/local-store.ts";
import { agreedClock } from "./agreed-clock.ts";
import { CLOCK_AT, MAX_KEYS_AT, MOST_RESETS, OVERFLOW_AT, SECRET_AT, THREADS_AT } from "./memory-layout.ts";
import { PlanDescriptions } from "./plan-descriptions.ts";
import { PlanRows } from "./plan-rows.ts";
import { countBlocked, SharedBlockedKeys } from "./shared-blocked-keys.ts";
import type { SharedMemory } from "./shared-memory.ts";
import type { SharedStoreHandle } from "./shared-store-handle.ts";
import { SlotStore } from "./slot-store.ts";
import { TableDirectory } from "./table-directory.ts";

/** The policies, each at its number in shared memory. */
export const OVERFLOW = ["share", "deny"] as const;

/** A store whose counts are in memory that threads share. */
export interface SharedStore extends LocalStore {
  /** Other threads pass it to `sharedStore.attach`. `postMessage` can clone it. */
  readonly handle: SharedStoreHandle;
  /** A clock on which all threads agree: the default of limiters over this store. */
  readonly clock: Clock;
}

/** One thread's attachment to a store. */
export class StoreInThread extends SlotStore implements SharedStore {
  readonly label = "shared";
  /** Derived from the memory's secret, because each attachment has other objects for the same bytes. */
  readonly identity: string;
  readonly maxKeys: number;
  readonly overflow: "share" | "deny";
  readonly handle: SharedStoreHandle;
  readonly clock: Clock;
  readonly #secret: Int32Array;
  readonly #directory: TableDirectory;
  readonly #clusterWarning: ClusterWarning;
  /** By this clock metrics count the keys that are blocked: all limiters have the same one, unless told otherwise. */
  #clockOfBlocks: Clock;

  constructor(
    memory: SharedMemory,
    handle: SharedStoreHandle,
    clusterWarning: ClusterWarning = new ClusterWarning("sharedStore", true),
  ) {
    const { words, numbers, atomics } = memory;
    const plans = new PlanRows(memory);
    const maxKeys = words[MAX_KEYS_AT]!;
    const tables = new TableDirectory(memory, plans, maxKeys, atomics.add(words, THREADS_AT, 1) >>> 0);
    super({ memory, mostResets: MOST_RESETS, plans, descriptions: new PlanDescriptions(memory), tables });
    this.#directory = tables;
    this.#clusterWarning = clusterWarning;
    this.handle = handle;
    this.maxKeys = maxKeys;
    this.overflow = OVERFLOW[words[OVERFLOW_AT]!] ?? "share";
    this.#secret = words.slice(SECRET_AT, SECRET_AT + SECRET_WORDS);
    this.identity = identityOf(this.#secret);
    this.clock = agreedClock(numbers[CLOCK_AT / 2]!);
    this.#clockOfBlocks = this.clock;
  }

  get maxBytes(): number {
    return this.memory.words.byteLength;
  }

  /**
   * @throws TollgateError `ERR_NAME` for a limiter without a name, `ERR_LIMITS` if there is not enough memory for its
   * fixed limits.
   */
  open(plan: Plan, context: LimiterContext): SyncSpace {
    if (typeof plan.scope !== "string") {
      throw new TollgateError(
        "ERR_NAME",
        "name: expected a name, by which all threads identify the limiter, got undefined",
      );
    }
    this.#clusterWarning.opened(context);
    return this.spaceOf(plan, context);
  }

  blocks(scope: Scope, limiter: string, { clock }: LimiterContext): SyncBlocks {
    this.#clockOfBlocks = clock;
    const table = () => this.#directory.blockedKeys();
    return new SharedBlockedKeys(scope, limiter, {
      memory: this.memory,
      rows: this.plans,
      secret: this.#secret,
      table,
    });
  }

  protected get secret(): Int32Array {
    return this.#secret;
  }

  protected get blockedCount(): number {
    const nowUs = readUs(this.#clockOfBlocks);
    const blockedKeys = this.#directory.madeForBlocked;
    return blockedKeys === undefined ? 0 : countBlocked(blockedKeys, nowUs);
  }
}

/** A one-way hash: it does not reveal the secret. */
function identityOf(secret: Int32Array): string {
  const hash = new KeyHash(secret);
  hash.hash("identity");
  return `sharedStore ${hash.words.join(" ")}`;
}
