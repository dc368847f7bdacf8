import type { Plan } from "../../../../../src/core/plan.ts";
import type { AskServer } from "../../../../../src/stores/hybrid/leases/lease-node.ts";
import { LeaseNumbers } from "../../../../../src/stores/hybrid/leases/lease-numbers.ts";
import type { LeaseTimes } from "../../../../../src/stores/hybrid/leases/lease-times.ts";
import { LeasedKey } from "../../../../../src/stores/hybrid/leases/leased-key.ts";
import { timeOfClocks } from "../../../../../src/stores/hybrid/leases/node-time.ts";
import { PendingRequests } from "../../../../../src/stores/hybrid/leases/pending-requests.ts";
import { createStats } from "../../../../../src/stores/hybrid/stats.ts";
import type { Random } from "../../script/kit/random.ts";

/** A process with the shipped lease code, and clocks of its own. */
export class SimNode {
  readonly stats = createStats();
  readonly #plan: Plan;
  readonly #times: LeaseTimes;
  readonly #random: Random;
  readonly #ask: (node: SimNode) => AskServer;
  readonly #trueUs: () => number;
  readonly #drift: number;
  #monoOffsetUs: number;
  #wallOffsetUs: number;
  #key: LeasedKey;
  /** How often it started. Answers to a process that is gone do nothing. */
  starts = 0;
  /** It does nothing before this moment. */
  stoppedUntilUs = Number.NEGATIVE_INFINITY;

  constructor(plan: Plan, times: LeaseTimes, random: Random, trueUs: () => number, ask: (node: SimNode) => AskServer) {
    this.#plan = plan;
    this.#times = times;
    this.#random = random;
    this.#trueUs = trueUs;
    this.#ask = ask;
    this.#drift = 1 + (random.part() - 0.5) / 100;
    this.#monoOffsetUs = random.between(-1_000_000_000, 1_000_000_000);
    this.#wallOffsetUs = random.between(-3_600_000_000, 3_600_000_000);
    this.#key = this.#start();
  }

  get key(): LeasedKey {
    return this.#key;
  }

  /** The process ends and another one starts: what it held is spent or lost. */
  restart(): void {
    this.starts += 1;
    this.#key = this.#start();
  }

  /** The machine sleeps: the clock of the process stands still, the time of day does not. */
  sleep(forUs: number): void {
    this.#monoOffsetUs -= forUs;
    this.stoppedUntilUs = this.#trueUs() + forUs;
  }

  /** The process is stopped, and both clocks go on. */
  stop(forUs: number): void {
    this.stoppedUntilUs = this.#trueUs() + forUs;
  }

  /** An operator or a time server sets the time of day. */
  setWallClock(byUs: number): void {
    this.#wallOffsetUs += byUs;
  }

  #start(): LeasedKey {
    const node = {
      time: timeOfClocks(
        () => (this.#trueUs() * this.#drift + this.#monoOffsetUs) / 1_000,
        () => Math.floor((this.#trueUs() * this.#drift + this.#wallOffsetUs) / 1_000),
      ),
      stats: this.stats,
      random: () => this.#random.part(),
      numbers: new LeaseNumbers(() => this.#random.part()),
      live: { add() {} },
      requests: new PendingRequests(),
    };
    return new LeasedKey(this.#plan, this.#times, node, this.#ask(this), () => {});
  }
}
