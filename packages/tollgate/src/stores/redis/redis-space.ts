import { type Clock, readUs } from "../../core/clock.ts";
import type { Plan } from "../../core/plan.ts";
import type { AsyncSpace, LimiterContext } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { KeyCall, KeySpace } from "./batch/key-call.ts";
import type { Stand } from "./failure/failure-policy.ts";
import { type EncodedPlan, encodePlan } from "./script/encode-plan.ts";
import { type Era, eraOf } from "./script/era.ts";
import { digestOf, SpaceKeys } from "./space-keys.ts";

/** What a space asks of its store. */
export interface SpaceOwner {
  allow(call: KeyCall, nowUs: number): Promise<boolean>;
  drop(call: KeyCall, nowUs: number): Promise<void>;
  clear(space: RedisSpace): Promise<void>;
  size(space: RedisSpace): Promise<number>;
  sweep(space: RedisSpace, nowUs: number): Promise<number>;
}

export interface RedisSpaceParts {
  readonly owner: SpaceOwner;
  readonly plan: Plan;
  /** The limiter's name, by which all nodes know it. */
  readonly limiter: string;
  readonly prefix: string;
  readonly stand: Stand;
  readonly host: LimiterContext;
  /** `"server"`: moments are of our era, whatever the limiter's clock says. */
  readonly time: "server" | "client";
}

/** One plan's keys on the server. */
export class RedisSpace implements AsyncSpace, KeySpace {
  readonly plan: Plan;
  readonly stand: Stand;
  readonly host: LimiterContext;
  readonly #owner: SpaceOwner;
  readonly #family: string;
  readonly #time: "server" | "client";
  #era: Era;
  #keys: SpaceKeys;
  #encoded: EncodedPlan;
  #lastCost = Number.NaN;
  #lastCosts: readonly number[] = [];

  constructor({ owner, plan, limiter, prefix, stand, host, time }: RedisSpaceParts) {
    this.plan = plan;
    this.stand = stand;
    this.host = host;
    this.#owner = owner;
    this.#family = `${prefix}:${limiter}:${digestOf(limiter, plan.id)}`;
    this.#time = time;
    this.#era = OUR_ERA;
    this.#keys = this.#keysIn(OUR_ERA);
    this.#encoded = encodePlan(plan, OUR_ERA);
  }

  get clock(): Clock {
    return this.host.clock;
  }

  /** What all keys on the server begin with, at the moment that its clock tells. */
  get head(): string {
    if (this.#time === "client") this.#enterEraOf(readUs(this.clock));
    return this.#keys.head;
  }

  /** A key and what a call costs there, one checked cost per limit. */
  call(key: string, costs: readonly number[], nowUs: number): KeyCall {
    if (this.#time === "client") this.#enterEraOf(nowUs);
    return { space: this, key, name: this.#keys.of(key), plan: this.#encoded, costs };
  }

  /** A key on the server that is there already. */
  callByName(name: string): KeyCall {
    return { space: this, key: "", name, plan: this.#encoded, costs: [] };
  }

  allow(key: string, cost: number, now: TimeCell): Promise<boolean> {
    const nowUs = now[0]!;
    return this.#owner.allow(this.call(key, this.#costsOf(cost), nowUs), nowUs);
  }

  drop(key: string): Promise<void> {
    const nowUs = this.#time === "client" ? readUs(this.clock) : 0;
    return this.#owner.drop(this.call(key, [], nowUs), nowUs);
  }

  clear(): Promise<void> {
    return this.#owner.clear(this);
  }

  size(): Promise<number> {
    return this.#owner.size(this);
  }

  sweep(now: TimeCell): Promise<number> {
    return this.#owner.sweep(this, now[0]!);
  }

  release(): void {
    this.stand.release();
  }

  /** A plain cost as one for each limit; mostly the same as the time before. */
  #costsOf(cost: number): readonly number[] {
    if (cost !== this.#lastCost) {
      this.#lastCosts = this.plan.countsNumber.map((counts) => (counts ? cost : 0));
      this.#lastCost = cost;
    }
    return this.#lastCosts;
  }

  #enterEraOf(us: number): void {
    const era = eraOf(us);
    if (era.mark === this.#era.mark) return;
    this.#era = era;
    this.#keys = this.#keysIn(era);
    this.#encoded = encodePlan(this.plan, era);
  }

  #keysIn({ mark }: Era): SpaceKeys {
    return new SpaceKeys(mark === "" ? `${this.#family}:` : `${this.#family}.${mark}:`);
  }
}

/** Where the server's time decides, all moments are of the era that 2027 is in; it ends in 2055. */
const OUR_ERA = eraOf(1_800_000_000_000_000);
