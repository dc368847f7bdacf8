import { readUs, systemClock } from "../../core/clock.ts";
import type { OwnerAnswer, OwnerRequest } from "../owned/messages.ts";
import { ServedCalls } from "../owned/served-calls.ts";
import { KeyRows, START_OF_SWEEP, type SweepStep } from "./key-rows.ts";
import type { LimitsObjectState, LimitsObjectStorage } from "./object-types.ts";
import { RowStore } from "./row-store.ts";

/** The least time between two alarms. One that scans many rows comes less often. */
const ALARM_MS = 60_000;
const ALARM_MS_PER_ROW = 1;
/** An alarm comes no later, whatever the windows are. */
const LONGEST_ALARM_MS = 365 * 86_400_000;

/** What the methods of an object do. */
export class LimitsObject {
  readonly #storage: LimitsObjectStorage;
  readonly #rows: KeyRows;
  readonly #store: RowStore;
  readonly #calls: ServedCalls;
  #alarmMs: number = Number.POSITIVE_INFINITY;

  constructor(state: LimitsObjectState) {
    this.#storage = state.storage;
    this.#rows = new KeyRows(state.storage);
    this.#store = new RowStore(this.#rows);
    this.#calls = new ServedCalls(this.#store, systemClock, 0);
    // An alarm that was set before the object was evicted stays. No call comes before it is known.
    void state.blockConcurrencyWhile(async () => {
      this.#alarmMs = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
    });
  }

  /**
   * Decides the calls of a request without `await`: no other request comes in between. Their writes are one
   * transaction, and the platform holds the answer back until they are durable.
   */
  answer(request: OwnerRequest): OwnerAnswer {
    try {
      const answer = this.#storage.transactionSync(() => {
        this.#store.begin();
        const done = this.#calls.answer(request, this.#store.nowUs);
        this.#rows.flush();
        return done;
      });
      this.#planAlarm(this.#rows.earliestIdleUs, ALARM_MS);
      return answer;
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
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
