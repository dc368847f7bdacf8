import { type LocalStore, systemClock } from "tollgate";
import { createLimits, type Limits } from "tollgate/config";
import type { HealthDetails } from "../http/health.ts";
import { isEnvoy } from "../limits/is-envoy.ts";
import type { LimitsStatus } from "../limits/limits-files.ts";
import { inForceHealth } from "../limits/limits-health.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { type LimitsState, summaryOf } from "../limits/limits-state.ts";
import { randomSalt } from "../limits/recent-requests.ts";
import type { Log } from "../log/log.ts";
import type { Reached } from "../open-admin.ts";
import { blockedIn, cannotListBlocked } from "../operations/key-routes.ts";
import {
  type OpenedLimits,
  type OperatedLimits,
  openLimitsFiles,
  operateLimits,
} from "../operations/operated-limits.ts";
import type { WorkersReached } from "../operations/workers-reached.ts";
import type { ServiceSettings } from "../service.ts";
import { hotOfWorkers, operateKeyIn, trailOfWorkers } from "./keys-in-workers.ts";
import { requestsOf } from "./requests-of-workers.ts";
import type { WorkerSlot } from "./worker-slot.ts";

/** How long a worker may take to put limits in force. 10,000 rules take a fraction of a second. */
const FOLLOW_MS = 5_000;

/**
 * The limits of a service with several workers. The primary process reads the files, answers operators, and tells the
 * workers what is in force: no worker has limits that were not checked and compiled here. A worker that is silent gets
 * the latest state when it answers again, and one that starts begins with it.
 */
export class PrimaryLimits {
  readonly #opened: OpenedLimits;
  readonly #operated: OperatedLimits;
  /** They count nothing: limits that compile here compile in every worker. They list keys that are blocked. */
  readonly #limits: Limits;
  readonly #slots: readonly WorkerSlot[];
  readonly #log: Log;
  readonly #salt: string | undefined;
  #number = 0;
  #reached: Promise<WorkersReached> = Promise.resolve({ changed: [], silent: [] });

  private constructor(
    opened: OpenedLimits,
    slots: readonly WorkerSlot[],
    store: LocalStore | undefined,
    log: Log,
    hasOperators: boolean,
  ) {
    this.#opened = opened;
    this.#slots = slots;
    this.#log = log;
    this.#salt = hasOperators ? randomSalt() : undefined;
    this.#limits = createLimits(opened.files.first, { clock: systemClock, ...(store !== undefined && { store }) });
    this.#operated = operateLimits(opened, {
      limits: this.#limits,
      clock: systemClock,
      log,
      recent: hasOperators ? requestsOf(slots) : undefined,
      operateKey: operateKeyIn(slots),
      hotOf: hotOfWorkers(slots),
      blockedOf: store === undefined ? cannotListBlocked : blockedIn(this.#limits),
      reached: () => this.#reached,
      trailOf: trailOfWorkers(slots),
      onInstall: () => this.#tell(),
      onStatus: () => this.#tell(),
    });
  }

  /**
   * Opens limits files. Workers count in `store`, if it is in this process. The result is `undefined` for files of
   * Envoy's service, which each worker reads itself.
   *
   * @throws FilesError if the files cannot be read; LimitsError if they have mistakes.
   */
  static async open(
    { application, admin }: ServiceSettings,
    slots: readonly WorkerSlot[],
    store: LocalStore | undefined,
    log: Log,
  ): Promise<PrimaryLimits | undefined> {
    if (application.kind !== "limits" || (await isEnvoy(application))) return undefined;
    const opened = await openLimitsFiles(application.path, application.checkDomain, log);
    return new PrimaryLimits(opened, slots, store, log, admin?.tokens !== undefined);
  }

  get inForce(): LimitsInForce {
    return this.#operated.inForce;
  }

  /** What operators reach, apart from the health. */
  get reached(): Omit<Reached, "health"> {
    const { routes: adminRoutes, operations } = this.#operated;
    return { adminRoutes, operations, limitsStatus: () => this.status };
  }

  readonly health: HealthDetails = inForceHealth(() => summaryOf(this.inForce, this.status));

  get status(): LimitsStatus {
    return this.#opened.files.status;
  }

  reload(): void {
    this.#opened.files.reload();
  }

  close(): void {
    this.#operated.close();
    this.#limits.close();
  }

  get state(): LimitsState {
    return {
      ...summaryOf(this.inForce, this.status),
      number: this.#number,
      effective: JSON.stringify(this.inForce.effective),
      checkDomain: this.#opened.checkDomain,
      salt: this.#salt,
    };
  }

  /** Tells the workers what is in force now. Those that start ask for it themselves. */
  #tell(): void {
    this.#number += 1;
    const following = this.#slots.filter(({ hasLimits }) => hasLimits);
    if (following.length > 0) this.#reached = this.#follow(following);
  }

  async #follow(slots: readonly WorkerSlot[]): Promise<WorkersReached> {
    const { state } = this;
    const changed: number[] = [];
    const silent: number[] = [];
    const ask = async (slot: WorkerSlot): Promise<void> => {
      const answered = await slot.ask({ what: "follow", state }, FOLLOW_MS);
      // The one that follows a worker that has died begins with the latest state.
      if (answered.kind === "gone") return;
      const has = answered.kind === "answer" && Number(answered.content) >= state.number;
      (has ? changed : silent).push(slot.number);
    };
    await Promise.all(slots.map(ask));
    if (silent.length === 0) return { changed: inOrder(changed), silent };
    // They may have gone on to a later state.
    if (this.#number > state.number) return this.#reached;
    const { version } = state;
    const fields = { workers: inOrder(silent).join(","), version };
    this.#log({ level: "warn", event: "workers-silent", fields });
    return { changed: inOrder(changed), silent: inOrder(silent) };
  }
}

function inOrder(numbers: readonly number[]): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}
