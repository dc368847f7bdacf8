import { LEASE_HEADER_WORDS, LEASE_KEY_WORDS, type LeaseArea } from "../../../../../src/core/lease-area.ts";
import type { Plan } from "../../../../../src/core/plan.ts";
import type { AskServer } from "../../../../../src/stores/hybrid/leases/lease-node.ts";
import type { LeaseTimes } from "../../../../../src/stores/hybrid/leases/lease-times.ts";
import { LeasedKey } from "../../../../../src/stores/hybrid/leases/leased-key.ts";
import { PlaceHolders } from "../../../../../src/stores/hybrid/leases/place-holders.ts";
import { createStats } from "../../../../../src/stores/hybrid/stats.ts";
import { ThreadLeases } from "../../../../../src/stores/hybrid/threads/thread-leases.ts";
import { LeaseWaiter } from "../../../../../src/stores/redis/batch/waiter.ts";
import { SharedMemory, viewsOf } from "../../../../../src/stores/shared/shared-memory.ts";
import { manualClock } from "../../../../../src/testing/index.ts";
import type { Random } from "../../script/kit/random.ts";
import type { SimNode, SimProcess, SimThread } from "./sim-node.ts";

const KEYS = 8;

interface LivingThread extends SimThread {
  isAlive: boolean;
}

/** A process whose threads hold leases together. Each call comes to a thread at random, and threads die. */
export class SimThreads implements SimProcess {
  readonly stats = createStats();
  starts = 0;
  stoppedUntilUs = Number.NEGATIVE_INFINITY;
  readonly #plan: Plan;
  readonly #times: LeaseTimes;
  readonly #random: Random;
  readonly #trueUs: () => number;
  readonly #ask: (process: SimProcess) => AskServer;
  readonly #later: (process: SimProcess, work: () => void) => void;
  #monoOffsetUs = 0;
  #wallOffsetUs = 0;
  #area = areaOf();
  #threads: LivingThread[];

  constructor(
    plan: Plan,
    times: LeaseTimes,
    random: Random,
    trueUs: () => number,
    ask: (process: SimProcess) => AskServer,
    later: (process: SimProcess, work: () => void) => void,
  ) {
    this.#plan = plan;
    this.#times = times;
    this.#random = random;
    this.#trueUs = trueUs;
    this.#ask = ask;
    this.#later = later;
    this.#threads = this.#startAll();
  }

  get key(): LeasedKey {
    return this.thread().key;
  }

  thread(): SimThread {
    return this.#random.of(this.#threads);
  }

  restart(): void {
    this.starts += 1;
    this.#area = areaOf();
    for (const thread of this.#threads) thread.isAlive = false;
    this.#threads = this.#startAll();
  }

  /** A thread is terminated and another one starts. Its calls and the answers to it are lost. */
  terminateOne(): void {
    this.#random.of(this.#threads).isAlive = false;
    this.#threads = this.#threads.map((thread) => (thread.isAlive ? thread : this.#start()));
  }

  sleep: SimNode["sleep"] = (forUs) => {
    this.#monoOffsetUs -= forUs;
    this.stoppedUntilUs = this.#trueUs() + forUs;
  };

  stop: SimNode["stop"] = (forUs) => {
    this.stoppedUntilUs = this.#trueUs() + forUs;
  };

  setWallClock: SimNode["setWallClock"] = (byUs) => {
    this.#wallOffsetUs += byUs;
  };

  #startAll(): LivingThread[] {
    return Array.from({ length: this.#random.between(2, 4) }, () => this.#start());
  }

  #start(): LivingThread {
    const time = {
      us: () => this.#trueUs() + this.#monoOffsetUs,
      wallUs: () => this.#trueUs() + this.#wallOffsetUs,
    };
    const random = () => this.#random.part();
    const whenAlive = (work: () => void) => () => {
      if (thread.isAlive) work();
    };
    const later = (work: () => void) => this.#later(this, whenAlive(work));
    const leases = new ThreadLeases({ area: this.#area, stats: this.stats, random, later });
    const ask = this.#ask(this);
    const askServer: AskServer = (costs, nowUs, leaseAsk, { granted, failed }) => {
      const waiter = new LeaseWaiter(
        (...answer) => whenAlive(() => granted(...answer))(),
        (error) => whenAlive(() => failed(error))(),
      );
      ask(costs, nowUs, leaseAsk, waiter);
    };
    const holders = new PlaceHolders();
    const node = { time, stats: this.stats, random, nextNumber: () => leases.next(), holders, noteLive() {} };
    const together = leases.heldOf(this.#plan, "fleet", "ann", time);
    const key = new LeasedKey(this.#plan, this.#times, node, askServer, together);
    const thread = { key, holders, isAlive: true };
    return thread;
  }
}

function areaOf(): LeaseArea {
  const bytes = new SharedArrayBuffer(4 * (LEASE_HEADER_WORDS + KEYS * LEASE_KEY_WORDS));
  const memory = new SharedMemory(viewsOf(bytes), Atomics, undefined);
  return { memory, at: 0, keys: KEYS, clock: manualClock(0), hash: (text) => [1 + text.length, 2] };
}
