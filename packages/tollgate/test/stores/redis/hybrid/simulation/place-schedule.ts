import { createPlan } from "../../../../../src/core/plan.ts";
import type { Report } from "../../../../../src/core/report.ts";
import { concurrency, tokenBucket } from "../../../../../src/index.ts";
import type { AskServer } from "../../../../../src/stores/hybrid/leases/lease-node.ts";
import { type LeaseTimes, leaseTimesOf } from "../../../../../src/stores/hybrid/leases/lease-times.ts";
import { isLocalMoment } from "../../../../../src/stores/hybrid/leases/place-holders.ts";
import { type EncodedPlan, encodePlan } from "../../../../../src/stores/redis/script/encode-plan.ts";
import { epochOf } from "../../../../../src/stores/redis/script/epoch.ts";
import type { ScriptTransaction } from "../../../../../src/stores/redis/script/transaction.ts";
import { Random } from "../../script/kit/random.ts";
import { NOW_US } from "../../script/kit/script-call.ts";
import { Admissions } from "./admissions.ts";
import { Events } from "./events.ts";
import type { Flaw } from "./flaw.ts";
import { answer, timeOut } from "./flawed-answers.ts";
import { Network, weatherOf } from "./network.ts";
import { PlacesInUse, type PlaceUse } from "./places-in-use.ts";
import { ServerLosses } from "./server-losses.ts";
import { SimNode, type SimProcess, type SimThread } from "./sim-node.ts";
import type { SimRedis } from "./sim-redis.ts";
import { SimThreads } from "./sim-threads.ts";

const A_SECOND_US = 1_000_000;
/** Promises of the code under test are settled within so many turns. */
const TURNS = 20;
/** Units of the bucket, which refills in the time after which places expire. */
const UNITS = 500;

/** A call that holds places. */
interface OpenCall {
  readonly node: SimProcess;
  readonly thread: SimThread;
  readonly use: PlaceUse;
  /** What identifies its places. */
  takenUs: number;
  isOver: boolean;
}

/** One random fleet that shares the places of one key, with all that may go wrong. Equal seeds make equal schedules. */
export class PlaceSchedule {
  readonly #places: PlacesInUse;
  /** What was admitted under the bucket, in a list of two limits. */
  readonly #units: Admissions | undefined;
  readonly #random: Random;
  readonly #redis: SimRedis;
  readonly #losses: ServerLosses;
  readonly #flaw: Flaw | undefined;
  readonly #events = new Events(NOW_US);
  readonly #network: Network;
  readonly #plan: EncodedPlan;
  readonly #nodes: readonly SimProcess[];
  readonly #key: string;
  readonly #max: number;
  readonly #ttlUs: number;
  readonly #times: LeaseTimes;
  /** Calls that the answer in progress admitted, and when the server decided. */
  #asked = { admitted: 0, atUs: 0 };

  /** With `threads` each process has several, which lend its places together. */
  constructor(seed: number, redis: SimRedis, flaw?: Flaw, threads = false) {
    const random = new Random(seed);
    this.#random = random;
    this.#redis = redis;
    this.#flaw = flaw;
    this.#key = `places ${threads} ${flaw?.name ?? ""} ${seed}`;
    this.#max = random.between(40, 120);
    this.#ttlUs = random.between(2, 30) * A_SECOND_US;
    const places = concurrency({ max: this.#max, ttl: this.#ttlUs / 1_000 });
    const units = tokenBucket({ capacity: UNITS, refill: UNITS, per: this.#ttlUs / 1_000 });
    const hasUnits = random.chance(0.25);
    const plan = createPlan("fleet", "fleet", hasUnits ? [places, units] : [places]);
    this.#plan = encodePlan(plan, epochOf(NOW_US));
    this.#times = leaseTimesOf(plan) as LeaseTimes;
    this.#network = new Network(random, this.#events, weatherOf(random, this.#ttlUs));
    this.#places = new PlacesInUse(this.#max);
    this.#units = hasUnits ? new Admissions(UNITS, UNITS / this.#ttlUs, this.#times.ttlUs) : undefined;
    const nowUs = () => this.#events.nowUs;
    this.#losses = new ServerLosses(redis, this.#events, this.#key, () => {
      this.#places.lose(nowUs());
      this.#units?.lose(nowUs());
    });
    this.#nodes = Array.from({ length: random.between(1, 4) }, () => {
      const ask = (node: SimProcess) => this.#askServer(node);
      if (!threads) return new SimNode(plan, this.#times, random, nowUs, ask);
      return new SimThreads(plan, this.#times, random, nowUs, ask, (process, work) => {
        this.#at(this.#events.nowUs + 1_000, () => this.#network.whenRunning(process, work));
      });
    });
  }

  get admitted(): number {
    return this.#places.count;
  }

  /** Places that calls got from leases. */
  get spent(): number {
    return this.#nodes.reduce((sum, { stats }) => sum + stats.spent, 0);
  }

  /** Runs it. @returns the first excess in words. */
  async run(): Promise<string | undefined> {
    const endUs = NOW_US + 6 * this.#ttlUs;
    this.#planLoad(endUs);
    this.#planMishaps(endUs);
    for (let us = NOW_US; us < endUs; us += Math.max(this.#ttlUs / 80, 50_000)) {
      this.#at(us, () => {
        for (const node of this.#nodes) this.#network.whenRunning(node, () => node.key.tend());
      });
    }
    await this.#events.runUntil(endUs);
    return this.#places.excess ?? this.#units?.excess;
  }

  /** Promises are settled before the time goes on. */
  #at(us: number, work: () => Promise<void> | void): void {
    this.#events.add(us, async () => {
      await work();
      for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
    });
  }

  #planLoad(endUs: number): void {
    const random = this.#random;
    const calls = random.of([300, 700, 1_000]);
    const [isPulsed, isSkewed] = [random.chance(0.4), random.chance(0.3)];
    const pulses = random.between(3, 12);
    const longest = random.of([0.3, 1, 1, 2]);
    for (let call = 0; call < calls; call += 1) {
      const part = isPulsed ? Math.floor(random.part() * pulses) / pulses + random.part() / 100 : random.part();
      const node = isSkewed && random.chance(0.9) ? this.#nodes[0]! : random.of(this.#nodes);
      const count = random.chance(0.05) ? random.between(2, 6) : 1;
      const lastsUs = Math.ceil(random.part() * longest * this.#ttlUs);
      this.#at(NOW_US + part * (endUs - NOW_US), () => {
        this.#network.whenRunning(node, () => this.#call(node, count, lastsUs));
      });
    }
  }

  #planMishaps(endUs: number): void {
    const random = this.#random;
    const kinds = [
      () => random.of(this.#nodes).restart(),
      () => random.of(this.#nodes).stop(random.between(0, this.#ttlUs)),
      () => random.of(this.#nodes).sleep(random.between(0, this.#ttlUs)),
      () => random.of(this.#nodes).setWallClock(random.between(-10 * A_SECOND_US, 3_600 * A_SECOND_US)),
      () => random.of(this.#nodes).key.giveBack(),
      () => random.of(this.#nodes).terminateOne?.(),
      () => this.#network.cut(random.between(0, this.#ttlUs)),
      () => this.#losses.loseData(),
      () => this.#losses.failOver(random.between(0, A_SECOND_US)),
    ];
    const chosen = random.chance(0.4) ? [] : kinds.filter(() => random.chance(0.3));
    for (const kind of chosen) {
      for (let times = random.between(1, 4); times > 0; times -= 1) this.#at(random.between(NOW_US, endUs), kind);
    }
  }

  #call(node: SimProcess, count: number, lastsUs: number): void {
    const thread = node.thread();
    const { key } = thread;
    const costs = this.#plan.plan.limits.map((_, limit) => (limit === 0 ? count : 1));
    if (key.spend(costs)) {
      this.#begin(node, thread, key.reports.admitted(costs, 0), count, lastsUs, this.#events.nowUs);
      return;
    }
    const way = key.uncovered(costs);
    if (way === "strict") this.#takeStrictly(node, thread, costs, count, lastsUs);
    if (way !== "ask") return;
    const admitted = (later: number) => {
      const fromUs = this.#asked.admitted > 0 ? this.#asked.atUs : this.#events.nowUs;
      this.#asked.admitted -= 1;
      this.#begin(node, thread, key.reports.admitted(costs, later), count, lastsUs, fromUs);
    };
    key.join({ costs, nowUs: 0, admitted, denied() {}, failed() {} });
  }

  #takeStrictly(node: SimProcess, thread: SimThread, costs: readonly number[], count: number, lastsUs: number): void {
    this.#network.send({
      node,
      isRepeated: false,
      decide: () => this.#run({ verb: "take", reportsTime: true }, costs),
      answered: ({ admitted, decidedUs }) => {
        if (admitted > 0) this.#begin(node, thread, { decidedUs }, count, lastsUs, decidedUs!);
      },
      timedOut() {},
    });
  }

  /** A call holds its places until it is over, and renews them where it takes longer. */
  #begin(
    node: SimProcess,
    thread: SimThread,
    { decidedUs: takenUs }: Pick<Report, "decidedUs">,
    places: number,
    lastsUs: number,
    fromUs: number,
  ): void {
    if (takenUs === undefined) throw new Error("expected the moment of a decision");
    const use = { fromUs, untilUs: fromUs + this.#ttlUs, places };
    this.#places.add(use);
    this.#units?.admit(fromUs, 1);
    const call = { node, thread, use, takenUs, isOver: false };
    // Some calls never end: their places expire.
    if (this.#random.chance(0.97))
      this.#at(this.#events.nowUs + lastsUs, () => this.#whenOpen(call, () => this.#end(call)));
    if (lastsUs > this.#ttlUs / 2 && places === 1) this.#planRenewal(call);
  }

  #planRenewal(call: OpenCall): void {
    const afterUs = this.#ttlUs * (0.2 + this.#random.part());
    this.#at(this.#events.nowUs + afterUs, () => this.#whenOpen(call, () => this.#renew(call)));
  }

  #whenOpen(call: OpenCall, work: () => void): void {
    this.#network.whenRunning(call.node, () => {
      if (!call.isOver && call.thread.isAlive) work();
    });
  }

  #end(call: OpenCall): void {
    const { thread, use, takenUs } = call;
    call.isOver = true;
    use.untilUs = Math.min(use.untilUs, this.#events.nowUs);
    const counts = this.#onlyPlaces(use.places);
    if (isLocalMoment(takenUs)) thread.holders.find(takenUs)?.freePlaces(takenUs, counts);
    else this.#network.deliver(async () => void (await this.#run({ verb: "refund", takenUs }, counts)));
  }

  #renew(call: OpenCall): void {
    const { node, thread, takenUs } = call;
    const moments = this.#onlyPlaces(takenUs);
    if (isLocalMoment(takenUs)) {
      const renewed = thread.holders.find(takenUs)?.renewPlaces(moments);
      void renewed?.then((report) => this.#renewed(call, report, this.#events.nowUs)).catch(() => {});
      return;
    }
    this.#network.send({
      node,
      isRepeated: false,
      decide: () => this.#run({ verb: "renew", reportsTime: true }, moments),
      answered: ({ reports, decidedUs }) => {
        const { conforms } = reports[0]!;
        this.#renewed(call, { conforms, decidedUs }, decidedUs!);
      },
      timedOut() {},
    });
  }

  #renewed(call: OpenCall, report: Pick<Report, "conforms" | "decidedUs">, atUs: number): void {
    // A call that is over meanwhile frees its places by the moment that it knew.
    if (report.conforms[0] !== true || call.isOver) return;
    call.takenUs = report.decidedUs!;
    call.use.untilUs = Math.max(call.use.untilUs, atUs + this.#ttlUs);
    this.#planRenewal(call);
  }

  #askServer(node: SimProcess): AskServer {
    return (costs, _nowUs, ask, waiter) => {
      this.#network.send({
        node,
        isRepeated: true,
        decide: () => this.#run({ verb: "lease", lease: ask, reportsTime: true }, costs),
        answered: ({ admitted, reports, grant }, atUs) => {
          this.#asked = { admitted, atUs };
          answer(this.#flaw, waiter, admitted, reports[0]!, grant!);
          this.#asked = { admitted: 0, atUs: 0 };
        },
        timedOut: () => timeOut(this.#flaw, ask, waiter),
      });
    };
  }

  #run(transaction: Pick<ScriptTransaction, "verb" | "lease" | "reportsTime" | "takenUs">, costs: readonly number[]) {
    this.#plan.others.meet([]);
    const keys = [{ name: this.#key, plan: this.#plan, costs }];
    return this.#redis.run({ times: 1, detail: "each", nowUs: this.#events.nowUs, keys, ...transaction });
  }

  #onlyPlaces(count: number): readonly number[] {
    return this.#plan.plan.limits.map((_, limit) => (limit === 0 ? count : 0));
  }
}
