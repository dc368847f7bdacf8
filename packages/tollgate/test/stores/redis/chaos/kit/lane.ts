import { type AsyncLimiter, createLimiter, memoryStore, type Observation } from "tollgate";
import { type RedisStore, type RedisStoreObservation, redisStore, type StoreClient } from "tollgate/redis";
import type { Random } from "../../script/kit/random.ts";
import type { CallRecord } from "./call-record.ts";
import { LIMITS, type LimiterName } from "./limits.ts";

export type Policy = "allow" | "deny" | "fraction";

/** The local fraction of lanes with the policy `"fraction"`. */
export const FRACTION = 0.05;
/** In slots of three primaries of a cluster. */
const HOT_KEYS = ["ann", "bob!", "cid-3", "dan-44"];
/** Concurrent calls of the limiter without an observer. */
const BULK = 4;
/** More than time out together. A server that is slower than the traffic would never catch up. */
const MOST_UNDER_WAY = 400;

export interface LaneOptions {
  /** The name of the client. */
  readonly name: string;
  readonly client: StoreClient;
  readonly policy: Policy;
  readonly prefix: string;
  readonly timeoutMs: number;
}

/** One store over one client, with its own limiters and callers. Lanes of one prefix share their counts. */
export class Lane {
  readonly name: string;
  readonly policy: Policy;
  readonly timeoutMs: number;
  readonly store: RedisStore;
  readonly calls: CallRecord[] = [];
  readonly observed: RedisStoreObservation[] = [];
  /** How often observers of its limiters were notified of each cause. */
  readonly observedCauses = new Map<string, number>();
  readonly #limiters: Readonly<Record<LimiterName | "refunds", AsyncLimiter>>;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Calls of `allow` with an observer, by key. */
  readonly #singles = new Map<string, CallRecord>();
  #refund: CallRecord | undefined;
  #turns = 0;

  constructor({ name, client, policy, prefix, timeoutMs }: LaneOptions) {
    this.name = `${name}, ${policy}`;
    this.policy = policy;
    this.timeoutMs = timeoutMs;
    const onFailure = policy === "fraction" ? { fallback: memoryStore(), share: FRACTION } : policy;
    const observe = (observation: RedisStoreObservation): number => this.observed.push(observation);
    const store = redisStore({ client, prefix, timeout: timeoutMs, onFailure, observe });
    this.store = store;
    const hear = (observation: Observation): void => this.#observe(observation);
    this.#limiters = {
      wide: createLimiter({ name: "wide", limits: LIMITS.wide, store, observe: hear }),
      single: createLimiter({ name: "single", limits: LIMITS.single, store, observe: hear }),
      tight: createLimiter({ name: "tight", limits: LIMITS.tight, store, observe: hear }),
      rapid: createLimiter({ name: "rapid", limits: LIMITS.rapid, store, observe: hear }),
      bulk: createLimiter({ name: "bulk", limits: LIMITS.bulk, store }),
      refunds: createLimiter({
        name: "wide",
        limits: LIMITS.wide,
        store,
        observe: (observed) => this.#observeRefund(observed),
      }),
    };
  }

  /** Starts some calls without waiting for them. */
  turn(random: Random): void {
    if (this.#underWay.size > MOST_UNDER_WAY) return;
    this.#turns += 1;
    const hot = random.of(HOT_KEYS);
    void this.consume("wide", hot, random.between(1, 3));
    if (random.chance(0.3)) void this.consume("wide", hot, 1);
    void this.single();
    if (random.chance(0.5)) void this.consume("tight", "one");
    void this.consume("rapid", "one");
    if (random.chance(0.3)) this.#peek(hot);
    if (random.chance(0.3)) this.#giveBack();
    if (this.policy === "deny") for (let i = 0; i < BULK; i += 1) this.#ask(hot);
  }

  /** A take with its decision. */
  consume(limiter: LimiterName, key: string, units = 1): Promise<CallRecord> {
    const call = this.#record(limiter, "consume", key, units);
    return this.#follow(call, this.#limiters[limiter].consume(key, units), (decision) => {
      call.admitted = decision.allowed;
      call.degraded = decision.degraded;
    });
  }

  /** A take of a new key. The observer receives its decision. */
  single(): Promise<CallRecord> {
    const call = this.#record(
      "single",
      "allow",
      `${this.name.replaceAll(/\W+/g, "-")}-${this.#turns}-${this.calls.length}`,
      1,
    );
    this.#singles.set(call.key, call);
    return this.#follow(call, this.#limiters.single.allow(call.key), (admitted) => {
      call.admitted = admitted;
    });
  }

  /** Resolves when all calls have ended. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  #ask(key: string): void {
    const call = this.#record("bulk", "allow", key, 1, "answer");
    void this.#follow(call, this.#limiters.bulk.allow(key), (admitted) => {
      call.admitted = admitted;
    });
  }

  #peek(key: string): void {
    const call = this.#record("wide", "peek", key, 1);
    void this.#follow(call, this.#limiters.wide.peek(key), (decision) => {
      call.admitted = decision.allowed;
      call.degraded = decision.degraded;
    });
  }

  /** Refunds units that were taken for certain. One at a time, so that the observer can match it. */
  #giveBack(): void {
    const taken = this.calls.findLast(
      ({ limiter, verb, admitted, degraded }) =>
        limiter === "wide" && verb === "consume" && admitted && degraded === undefined,
    );
    if (taken === undefined || this.#refund !== undefined) return;
    const call = this.#record("wide", "refund", taken.key, 1);
    this.#refund = call;
    void this.#follow(call, this.#limiters.refunds.refund(taken.key, 1), () => {
      call.admitted = true;
      this.#refund = undefined;
    });
  }

  #record(
    limiter: LimiterName,
    verb: CallRecord["verb"],
    key: string,
    units: number,
    returns: CallRecord["returns"] = "decision",
  ): CallRecord {
    const call: CallRecord = {
      ...{ lane: this.name, limiter, verb, key, units, returns },
      startedMs: performance.now(),
      endedMs: Number.NaN,
      admitted: false,
      degraded: undefined,
      error: undefined,
    };
    this.calls.push(call);
    return call;
  }

  #follow<T>(call: CallRecord, answer: Promise<T>, read: (value: T) => void): Promise<CallRecord> {
    const end = (async (): Promise<CallRecord> => {
      try {
        const value = await answer;
        call.endedMs = performance.now();
        read(value);
      } catch (error) {
        call.endedMs = performance.now();
        call.error = error;
      }
      return call;
    })();
    this.#underWay.add(end);
    return end.finally(() => this.#underWay.delete(end));
  }

  #observe(observation: Observation): void {
    if (observation.type === "degradation") {
      this.observedCauses.set(observation.cause, (this.observedCauses.get(observation.cause) ?? 0) + 1);
    } else if (observation.type === "decision" && observation.verb === "allow") {
      const call = this.#singles.get(observation.keys[0]!);
      if (call !== undefined) call.degraded = observation.decision.degraded;
    }
  }

  #observeRefund(observation: Observation): void {
    if (observation.type === "degradation" && this.#refund !== undefined) this.#refund.degraded = observation.cause;
  }
}
