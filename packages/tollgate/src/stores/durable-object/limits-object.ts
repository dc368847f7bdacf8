import { readUs, systemClock } from "../../core/clock.ts";
import type { Result } from "../cluster/messages.ts";
import { WorkerCalls } from "../cluster/worker-calls.ts";
import { KeyRows, START_OF_SWEEP, type SweepStep } from "./key-rows.ts";
import { type ObjectAnswer, type ObjectRequest, VERSION } from "./messages.ts";
import type { LimitsObjectState, LimitsObjectStorage } from "./object-types.ts";
import { RowStore } from "./row-store.ts";

/** How many isolates an object remembers the plans of, and how many plans of each. */
const MOST_CLIENTS = 64;
const MOST_PLANS = 1_024;
/** The least time between two alarms. One that scans many rows comes less often. */
const ALARM_MS = 60_000;
const ALARM_MS_PER_ROW = 1;
/** An alarm comes no later, whatever the windows are. */
const LONGEST_ALARM_MS = 365 * 86_400_000;

/** The calls of one isolate, with its numbers for plans. */
interface Client {
  readonly calls: WorkerCalls;
  plans: number;
}

/** What the methods of an object do. */
export class LimitsObject {
  readonly #storage: LimitsObjectStorage;
  readonly #rows: KeyRows;
  readonly #store: RowStore;
  /** The one that has not asked for longest is the first. */
  readonly #clients = new Map<string, Client>();
  #alarmMs: number = Number.POSITIVE_INFINITY;

  constructor(state: LimitsObjectState) {
    this.#storage = state.storage;
    this.#rows = new KeyRows(state.storage);
    this.#store = new RowStore(this.#rows);
    // An alarm that was set before the object was evicted stays. No call comes before it is known.
    void state.blockConcurrencyWhile(async () => {
      this.#alarmMs = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
    });
  }

  /**
   * Decides the calls of a request without `await`: no other request comes in between. Their writes are one
   * transaction, and the platform holds the answer back until they are durable.
   */
  answer({ version, client, plans, operations }: ObjectRequest): ObjectAnswer {
    if (version !== VERSION) return { outcome: "other-version" };
    const calls = this.#callsOf(client, plans);
    try {
      const results = this.#storage.transactionSync(() => {
        this.#store.begin();
        const done = calls.run(operations, this.#store.nowUs);
        this.#rows.flush();
        return done as Result[];
      });
      this.#planAlarm(this.#rows.earliestIdleUs, ALARM_MS);
      return { outcome: "done", nowUs: this.#store.nowUs, results, moves: calls.moves };
    } catch (error) {
      // The transaction was rolled back, so what is in memory is not in the database.
      this.#rows.forget();
      throw error;
    }
  }

  /** The alarm: deletes what is idle, in steps between which calls are decided. Then it plans the next alarm. */
  async sweep(): Promise<void> {
    this.#alarmMs = Number.POSITIVE_INFINITY;
    let step: SweepStep = START_OF_SWEEP;
    while (!step.isDone) {
      step = this.#storage.transactionSync(() => {
        this.#store.begin();
        return this.#rows.sweepStep(step, this.#store.nowUs);
      });
      await pause();
    }
    this.#planAlarm(step.idleUs, Math.max(ALARM_MS, ALARM_MS_PER_ROW * step.count));
    if (step.count === 0) await this.#deleteAll();
  }

  /** An object without data costs nothing. Other data than the store's stays. */
  async #deleteAll(): Promise<void> {
    const { size } = await this.#storage.list({ limit: 1 });
    // Calls may have come meanwhile.
    if (size > 0 || !this.#rows.areAll) return;
    this.#rows.forget();
    await this.#storage.deleteAll();
  }

  /** Sets the alarm, unless it comes before this moment already. */
  #planAlarm(idleUs: number, leastDelayMs: number): void {
    if (idleUs === Number.POSITIVE_INFINITY) return;
    const nowMs = readUs(systemClock) / 1_000;
    const atMs = Math.ceil(Math.min(Math.max(idleUs / 1_000, nowMs + leastDelayMs), nowMs + LONGEST_ALARM_MS));
    if (atMs >= this.#alarmMs) return;
    this.#alarmMs = atMs;
    void this.#storage.setAlarm(atMs);
  }

  /** The calls of a client that has opened these plans. What is forgotten comes with its next request. */
  #callsOf(name: string, plans: ObjectRequest["plans"]): WorkerCalls {
    const known = this.#clients.get(name);
    const fits = known !== undefined && known.plans + plans.length <= MOST_PLANS;
    const client = fits ? known : { calls: new WorkerCalls(this.#store, systemClock), plans: 0 };
    this.#clients.delete(name);
    this.#clients.set(name, client);
    if (this.#clients.size > MOST_CLIENTS) this.#clients.delete([...this.#clients.keys()][0]!);
    for (const [number, plan] of plans) {
      if (client.calls.knows(number)) continue;
      client.calls.open(number, plan);
      client.plans += 1;
    }
    return client.calls;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
