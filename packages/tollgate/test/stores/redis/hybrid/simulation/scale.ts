import { createPlan } from "../../../../../src/core/plan.ts";
import { tokenBucket } from "../../../../../src/index.ts";
import type { AskServer } from "../../../../../src/stores/hybrid/leases/lease-node.ts";
import { leaseTimesOf } from "../../../../../src/stores/hybrid/leases/lease-times.ts";
import type { LeaseWaiter } from "../../../../../src/stores/redis/batch/waiter.ts";
import { encodePlan } from "../../../../../src/stores/redis/script/encode-plan.ts";
import type { LeaseAsk } from "../../../../../src/stores/redis/script/lease.ts";
import { Random } from "../../script/kit/random.ts";
import { NOW_US } from "../../script/kit/script-call.ts";
import { SimNode } from "./sim-node.ts";
import type { SimRedis } from "./sim-redis.ts";

/** Nodes that share one bucket, under an even load. */
export interface ScaleLoad {
  readonly nodes: number;
  readonly capacity: number;
  /** Calls of the fleet, as a multiple of the rate. */
  readonly factor: number;
  readonly refills: number;
}

/** What a fleet did after a start that does not count. Times are those in which the bucket refills. */
export interface ScaleResult extends ScaleLoad {
  readonly asked: number;
  readonly admitted: number;
  /** Requests to the server in a refill time. */
  readonly requests: number;
  /** Admitted, of what the limit and the load allow. */
  readonly admittedPart: number;
  readonly leasedPart: number;
}

const REFILL_US = 1_000_000;
const TICK_US = 1_000;
/** A request takes a tick, and so does its answer. */
const WARM_UP_TICKS = (4 * REFILL_US) / TICK_US;
/** How often idle keys are visited (`live-keys.ts`). */
const TEND_TICKS = 50;

/** The shipped code of nodes and the shipped script, in ticks of a millisecond. Nothing fails. */
export class ScaleRun {
  readonly #redis: SimRedis;
  readonly #load: ScaleLoad;
  readonly #random = new Random(1);
  readonly #plan;
  readonly #nodes: readonly SimNode[];
  readonly #key: string;
  #nowUs = NOW_US;
  /** What arrives at the server in the next tick, and answers on their way. */
  #requests: (() => Promise<() => void>)[] = [];
  #counted = { asked: 0, admitted: 0, requests: 0, leased: 0 };

  constructor(redis: SimRedis, load: ScaleLoad) {
    this.#redis = redis;
    this.#load = load;
    this.#key = `scale ${JSON.stringify(load)}`;
    const { capacity } = load;
    const plan = createPlan("fleet", "fleet", [tokenBucket({ capacity, refill: capacity, per: REFILL_US / 1_000 })]);
    this.#plan = encodePlan(plan);
    const times = leaseTimesOf(plan)!;
    this.#nodes = Array.from({ length: load.nodes }, () => {
      return new SimNode(
        plan,
        times,
        this.#random,
        () => this.#nowUs,
        () => this.#askServer(),
      );
    });
  }

  async run(): Promise<ScaleResult> {
    const { capacity, factor, refills } = this.#load;
    const perTick = (capacity * factor * TICK_US) / REFILL_US;
    const ticks = WARM_UP_TICKS + (refills * REFILL_US) / TICK_US;
    let [due, answers]: [number, (() => void)[]] = [0, []];
    for (let tick = 0; tick < ticks; tick += 1) {
      if (tick === WARM_UP_TICKS) this.#counted = { asked: 0, admitted: 0, requests: 0, leased: 0 };
      this.#nowUs += TICK_US;
      for (const answer of answers) answer();
      const requests = this.#requests;
      this.#requests = [];
      answers = await Promise.all(requests.map((request) => request()));
      due += perTick;
      for (; due >= 1; due -= 1) this.#call();
      if (tick % TEND_TICKS === 0) for (const { key } of this.#nodes) key.tend();
    }
    const { asked, admitted, requests, leased } = this.#counted;
    const ideal = Math.min(asked, capacity * refills);
    const [admittedPart, leasedPart] = [admitted / ideal, leased / admitted];
    return { ...this.#load, asked, admitted, requests: requests / refills, admittedPart, leasedPart };
  }

  #call(): void {
    const node = this.#random.of(this.#nodes);
    const costs = [1];
    this.#counted.asked += 1;
    if (node.key.spend(costs)) {
      this.#counted.leased += 1;
      this.#counted.admitted += 1;
      return;
    }
    const way = node.key.uncovered(costs);
    if (way === "strict") this.#takeStrictly();
    if (way !== "ask") return;
    const admitted = () => {
      this.#counted.admitted += 1;
    };
    node.key.join({ costs, nowUs: 0, admitted, denied() {}, failed() {} });
  }

  #takeStrictly(): void {
    this.#send(async () => {
      const { admitted } = await this.#decide([1]);
      return () => {
        this.#counted.admitted += admitted;
      };
    });
  }

  #askServer(): AskServer {
    return (costs: readonly number[], _nowUs: number | undefined, ask: LeaseAsk, waiter: LeaseWaiter) => {
      this.#send(async () => {
        const { admitted, reports, grant } = await this.#decide(costs, ask);
        return () => waiter.granted(admitted, reports[0]!, grant!);
      });
    };
  }

  #send(request: () => Promise<() => void>): void {
    this.#counted.requests += 1;
    this.#requests.push(request);
  }

  #decide(costs: readonly number[], lease?: LeaseAsk) {
    const keys = [{ name: this.#key, plan: this.#plan, costs }];
    const transaction = lease === undefined ? ({ verb: "take" } as const) : ({ verb: "lease", lease } as const);
    return this.#redis.run({ times: 1, detail: "each", nowUs: this.#nowUs, keys, ...transaction });
  }
}
