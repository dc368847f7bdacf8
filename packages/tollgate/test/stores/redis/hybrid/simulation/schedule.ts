import { createPlan } from "../../../../../src/core/plan.ts";
import type { Report } from "../../../../../src/core/report.ts";
import { tokenBucket } from "../../../../../src/index.ts";
import type { AskServer } from "../../../../../src/stores/hybrid/leases/lease-node.ts";
import { type LeaseTimes, leaseTimesOf } from "../../../../../src/stores/hybrid/leases/lease-times.ts";
import type { LeaseWaiter } from "../../../../../src/stores/redis/batch/waiter.ts";
import { type EncodedPlan, encodePlan } from "../../../../../src/stores/redis/script/encode-plan.ts";
import type { LeaseGrant } from "../../../../../src/stores/redis/script/lease.ts";
import type { ScriptTransaction } from "../../../../../src/stores/redis/script/transaction.ts";
import { Random } from "../../script/kit/random.ts";
import { NOW_US } from "../../script/kit/script-call.ts";
import { Admissions } from "./admissions.ts";
import { Events } from "./events.ts";
import type { Flaw } from "./flaw.ts";
import { answer, timeOut } from "./flawed-answers.ts";
import { ServerLosses } from "./server-losses.ts";
import { SimNode } from "./sim-node.ts";
import type { SimRedis } from "./sim-redis.ts";
import { type Weather, weatherOf } from "./weather.ts";

const A_SECOND_US = 1_000_000;

/** One random fleet that shares one bucket, with all that may go wrong. Equal seeds make equal schedules. */
export class Schedule {
  readonly admissions: Admissions;
  readonly #random: Random;
  readonly #redis: SimRedis;
  readonly #losses: ServerLosses;
  readonly #flaw: Flaw | undefined;
  readonly #events = new Events(NOW_US);
  readonly #plan: EncodedPlan;
  readonly #nodes: readonly SimNode[];
  readonly #key: string;
  readonly #capacity: number;
  readonly #refillUs: number;
  readonly #lastsUs: number;
  readonly #weather: Weather;
  readonly #ttlUs: number;
  /** Whether calls come when leases end. */
  readonly #isAtEnds: boolean;
  /** When the last leases of nodes end. */
  readonly #lastEnds = new Map<SimNode, number>();
  #unreachableUntilUs = 0;
  /** Calls that the answer in progress admitted, and when the server decided. */
  #asked = { admitted: 0, atUs: 0 };

  constructor(seed: number, redis: SimRedis, flaw?: Flaw) {
    const random = new Random(seed);
    this.#random = random;
    this.#redis = redis;
    this.#flaw = flaw;
    this.#key = `${flaw?.name ?? ""} ${seed}`;
    this.#capacity = random.between(40, 400);
    const unitUs = Math.ceil((random.between(10, 40) * A_SECOND_US) / this.#capacity);
    this.#refillUs = unitUs * this.#capacity;
    this.#lastsUs = 5 * this.#refillUs;
    const limit = tokenBucket({ capacity: this.#capacity, refill: 1, per: unitUs / 1_000 });
    const plan = createPlan("fleet", "fleet", [limit]);
    this.#plan = encodePlan(plan);
    this.#weather = weatherOf(random, this.#refillUs);
    const times = leaseTimesOf(plan) as LeaseTimes;
    this.#ttlUs = times.ttlUs;
    this.#isAtEnds = random.chance(0.4);
    this.admissions = new Admissions(this.#capacity, 1 / unitUs, times.ttlUs);
    const nowUs = () => this.#events.nowUs;
    this.#losses = new ServerLosses(redis, this.#events, this.#key, () => this.admissions.lose(nowUs()));
    this.#nodes = Array.from({ length: random.between(1, 5) }, () => {
      return new SimNode(plan, times, random, nowUs, (node) => this.#askServer(node));
    });
  }

  get admitted(): number {
    return this.admissions.units;
  }

  /** Units that nodes spent from leases. */
  get spent(): number {
    return this.#nodes.reduce((sum, { stats }) => sum + stats.spent, 0);
  }

  /** Runs it. @returns the first excess in words. */
  async run(): Promise<string | undefined> {
    const endUs = NOW_US + this.#lastsUs;
    if (this.#isAtEnds) this.#planWarmUps(endUs);
    else this.#planLoad(endUs);
    this.#planMishaps(endUs);
    for (let us = NOW_US; us < endUs && !this.#isAtEnds; us += this.#refillUs / 20) {
      this.#events.add(us, () => {
        for (const node of this.#nodes) this.#whenRunning(node, () => node.key.tend());
      });
    }
    await this.#events.runUntil(endUs);
    return this.admissions.excess;
  }

  #planLoad(endUs: number): void {
    const random = this.#random;
    const calls = Math.min(1_500, this.#capacity * random.of([1, 3, 5, 15]));
    const [isPulsed, isSkewed] = [random.chance(0.3), random.chance(0.3)];
    const pulses = random.between(2, 8);
    for (let call = 0; call < calls; call += 1) {
      const part = isPulsed ? Math.floor(random.part() * pulses) / pulses + random.part() / 200 : random.part();
      const node = isSkewed && random.chance(0.9) ? this.#nodes[0]! : random.of(this.#nodes);
      const cost = random.chance(0.05) ? random.between(1, Math.floor(this.#capacity / 3)) : 1;
      this.#events.add(NOW_US + part * (endUs - NOW_US), () => this.#callWhenRunning(node, cost));
    }
  }

  /** Nodes take leases and then nothing, until all of them ask for everything at once, when a lease ends. */
  #planWarmUps(endUs: number): void {
    const random = this.#random;
    for (let fromUs = NOW_US; fromUs < endUs; fromUs += 1.7 * this.#refillUs) {
      const calls = Math.floor(this.#capacity * (0.1 + random.part() / 2));
      for (let call = 0; call < calls; call += 1) {
        const node = random.of(this.#nodes);
        this.#events.add(fromUs + (random.part() * this.#refillUs) / 8, () => this.#callWhenRunning(node, 1));
      }
      this.#events.add(fromUs + this.#refillUs / 7, () => this.#planBurst());
    }
  }

  /** An old lease may not be spent in addition to what the server grants after its end. */
  #planBurst(): void {
    const random = this.#random;
    const holders = this.#nodes.filter(({ key }) => key.held[0]! > 0);
    const endsUs = holders.length > 0 ? (this.#lastEnds.get(random.of(holders)) ?? 0) : 0;
    if (random.chance(0.5)) this.#events.add(endsUs - 0.013 * this.#ttlUs, () => this.#spendMost());
    const fromUs = endsUs + random.of([0, 0.001, 0.03, 0.07, -0.02]) * this.#ttlUs;
    const spreadUs = random.of([0.0005, 0.0005, 0.01, 0.04]) * this.#ttlUs;
    for (let call = 0; call < 3 * this.#capacity; call += 1) {
      const node = random.of(this.#nodes);
      // The last ones spend what the first ones made nodes take in advance.
      const afterUs = call < 1.5 * this.#capacity ? 0 : 50_000;
      this.#events.add(fromUs + afterUs + random.part() * spreadUs, () => this.#callWhenRunning(node, 1));
    }
  }

  /** Most of what nodes hold, but not so much that they renew it: the server hears nothing of it. */
  #spendMost(): void {
    for (const node of this.#nodes) {
      for (let units = Math.floor(0.7 * node.key.held[0]!); units > 0; units -= 1) this.#callWhenRunning(node, 1);
    }
  }

  #callWhenRunning(node: SimNode, cost: number): void {
    this.#whenRunning(node, () => this.#call(node, cost));
  }

  #planMishaps(endUs: number): void {
    const random = this.#random;
    const kinds = [
      () => random.of(this.#nodes).restart(),
      () => random.of(this.#nodes).stop(random.between(0, this.#refillUs)),
      () => random.of(this.#nodes).sleep(random.between(0, this.#refillUs)),
      () => random.of(this.#nodes).setWallClock(random.between(0, 3_600 * A_SECOND_US)),
      () => random.of(this.#nodes).key.giveBack(),
      () => {
        this.#unreachableUntilUs = this.#events.nowUs + random.between(0, this.#refillUs);
      },
      () => this.#losses.loseData(),
      () => this.#losses.failOver(random.between(0, A_SECOND_US)),
    ];
    const chosen = random.chance(0.3) ? [] : kinds.filter(() => random.chance(0.4));
    for (const kind of chosen) {
      for (let times = random.between(1, 6); times > 0; times -= 1) {
        this.#events.add(random.between(NOW_US, endUs), kind);
      }
    }
  }

  #call(node: SimNode, cost: number): void {
    const costs = [cost];
    const { key } = node;
    if (key.spend(costs)) {
      this.admissions.admit(this.#events.nowUs, cost);
      return;
    }
    const way = key.uncovered(costs);
    if (way === "strict") this.#takeStrictly(cost);
    if (way !== "ask") return;
    const decided = () => {
      const byServer = this.#asked.admitted > 0;
      this.#asked.admitted -= 1;
      this.admissions.admit(byServer ? this.#asked.atUs : this.#events.nowUs, cost);
    };
    key.join({ costs, nowUs: 0, admitted: decided, denied() {}, failed() {} });
  }

  #takeStrictly(cost: number): void {
    this.#deliver(async () => {
      const { admitted } = await this.#run({ verb: "take" }, [cost]);
      if (admitted > 0) this.admissions.admit(this.#events.nowUs, cost);
    });
  }

  #askServer(node: SimNode): AskServer {
    return (costs, _nowUs, ask, waiter) => {
      const request = { starts: node.starts, isAnswered: false };
      const settle = (work: () => void) => {
        this.#whenRunning(node, () => {
          if (request.isAnswered || node.starts !== request.starts) return;
          request.isAnswered = true;
          work();
        });
      };
      this.#events.add(this.#events.nowUs + this.#weather.timeoutUs, () => {
        settle(() => timeOut(this.#flaw, ask, waiter));
      });
      const times = this.#random.chance(this.#weather.repeated) ? 2 : 1;
      for (let sent = 0; sent < times; sent += 1) {
        this.#deliver(async () => {
          const { admitted, reports, grant } = await this.#run({ verb: "lease", lease: ask }, costs);
          const decidedUs = this.#events.nowUs;
          if (this.#random.chance(this.#weather.lost)) return;
          this.#events.add(decidedUs + this.#delayUs(), () => {
            settle(() => {
              this.#asked = { admitted, atUs: decidedUs };
              this.#granted(node, waiter, admitted, reports[0]!, grant!);
              this.#asked = { admitted: 0, atUs: 0 };
            });
          });
        });
      }
    };
  }

  #granted(node: SimNode, waiter: LeaseWaiter, admitted: number, report: Report, grant: LeaseGrant): void {
    if (grant.lastsUs > 0) this.#lastEnds.set(node, grant.endsUs);
    answer(this.#flaw, waiter, admitted, report, grant);
  }

  /** Runs a request after a delay, unless it is lost or the server cannot be reached. */
  #deliver(work: () => Promise<void>): void {
    if (this.#random.chance(this.#weather.lost)) return;
    this.#events.add(this.#events.nowUs + this.#delayUs(), () => {
      return this.#events.nowUs < this.#unreachableUntilUs ? undefined : work();
    });
  }

  #run(transaction: Pick<ScriptTransaction, "verb" | "lease">, costs: readonly number[]) {
    const keys = [{ name: this.#key, plan: this.#plan, costs }];
    return this.#redis.run({ times: 1, detail: "each", nowUs: this.#events.nowUs, keys, ...transaction });
  }

  #delayUs(): number {
    return this.#random.between(0, this.#random.chance(this.#weather.slow) ? this.#weather.longestUs : 2_000);
  }

  #whenRunning(node: SimNode, work: () => void): void {
    if (this.#events.nowUs >= node.stoppedUntilUs) work();
    else this.#events.add(node.stoppedUntilUs, () => this.#whenRunning(node, work));
  }
}
