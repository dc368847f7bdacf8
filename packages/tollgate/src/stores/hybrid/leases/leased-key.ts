import { readUs } from "../../../core/clock.ts";
import { toMilliseconds } from "../../../core/duration.ts";
import type { LeaseStatus } from "../../../core/lease-status.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import { answer, answerWithout, type DecideWithout, type LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { RedisSpace } from "../../redis/redis-space.ts";
import type { LeaseAsk, LeaseGrant, LeaseReport } from "../../redis/script/lease.ts";
import { OVERLOADED } from "../../remote/unavailable-error.ts";
import { HeldLeases } from "./held-leases.ts";
import { KeyReports } from "./key-reports.ts";
import type { KnownKey } from "./known-keys.ts";
import type { LeaseNode, Uncovered } from "./lease-node.ts";
import type { LeaseTimes } from "./lease-times.ts";
import { LocalDenials } from "./local-denials.ts";
import { DRIFT, type NodeMoment, type NodeTime } from "./node-time.ts";
import { Renewals } from "./renewals.ts";
import { Sizing } from "./sizing.ts";
import { takeRun, type WaitingCall } from "./waiting-call.ts";

const UNHEARD: LeaseWaiter = { wantsReport: true, granted: () => {}, failed: () => {} };
/** Idle units are given back if they are at least this part of a capacity. Fewer end by themselves. */
const WORTH_RETURNING = 0.05;
/** So many calls that wait together count as demand. */
const MOST_COUNTED = 24;

/**
 * One key of one node: the leases that it holds, the calls that wait for the server, and what it remembers of denials.
 * Reports about leases are absolute, and no request is repeated. So a lost, late or repeated request admits nothing
 * more.
 */
export class LeasedKey implements KnownKey {
  readonly #plan: Plan;
  readonly #redis: RedisSpace;
  readonly #key: string;
  readonly #times: LeaseTimes;
  readonly #node: LeaseNode;
  readonly #time: NodeTime;
  readonly #held: HeldLeases;
  readonly #sizing: Sizing;
  readonly #denials: LocalDenials;
  readonly #renewals: Renewals;
  /** What callers are told. */
  readonly reports: KeyReports;
  readonly #nothing: readonly number[];
  /** In their order. */
  readonly #waiting: WaitingCall[] = [];
  #isAsking = false;
  #askedBeforeRefund = false;
  /** Gives back what the key holds, and forgets the key. */
  readonly forget: () => void;

  constructor(redis: RedisSpace, key: string, times: LeaseTimes, node: LeaseNode, time: NodeTime, forget: () => void) {
    const { plan } = redis;
    const now = time();
    this.#plan = plan;
    this.forget = forget;
    this.#redis = redis;
    this.#key = key;
    this.#times = times;
    this.#node = node;
    this.#time = time;
    this.#held = new HeldLeases(node.stats, now);
    this.#nothing = plan.limits.map(() => 0);
    this.#sizing = new Sizing(plan, times, now.us);
    this.#denials = new LocalDenials(times, node.random);
    const [held, sizing, denials] = [this.#held, this.#sizing, this.#denials];
    this.#renewals = new Renewals({ plan, times, held, sizing, denials });
    this.reports = new KeyReports(plan, times, denials, held, time);
  }

  /** The hot path. Renews the leases if little is left. @returns whether the leases cover the cost, which is spent. */
  spend(costs: readonly number[]): boolean {
    const now = this.#time();
    if (!this.#held.spend(costs, now)) return false;
    if (this.#held.isLow(this.#sizing, now.us) && !this.#isAsking && this.#renewals.isDue(now.us)) this.#ask();
    this.#sizing.count(costs);
    const { stats } = this.#node;
    stats.spent += costs[0]!;
    stats.decidedLocally += 1;
    return true;
  }

  /** The report of a call that `spend` has just admitted. */
  spentReport(costs: readonly number[]): Report {
    return this.reports.admitted(costs, this.#held.spentAt, this.#held.spentOfUs);
  }

  /** How a call is decided that `spend` did not admit. Counts it as demand, unless many wait already. */
  uncovered(costs: readonly number[]): Uncovered {
    const { us } = this.#time();
    if (this.#renewals.isStrict(us) || costs.every((cost) => cost === 0)) return "strict";
    if (this.#denials.find(costs, us) !== undefined) {
      this.#node.stats.decidedLocally += 1;
      return "denied";
    }
    // Calls of a pulse wait together. They are no demand that a lease could serve.
    if (this.#waiting.length < MOST_COUNTED) this.#sizing.count(costs);
    return this.#isAsking || this.#renewals.mayLease(us) ? "ask" : "strict";
  }

  /** Whether a call is known to be denied. */
  isDenied(costs: readonly number[]): boolean {
    return this.#denials.find(costs, this.#time().us) !== undefined;
  }

  /** Asks the server for a call, or joins the next request. Calls are answered in their order. */
  join(costs: readonly number[], nowUs: number): Promise<Report> {
    const { store, stats, mostWaiting } = this.#node;
    const without: DecideWithout = (error) => {
      return store.decideWithout(error, "take", [this.#redis.call(this.#key, costs)], nowUs);
    };
    return new Promise<Report>((resolve) => {
      const waiter = { wantsReport: true, resolve, without };
      if (this.#waiting.length >= mostWaiting) answerWithout(waiter, OVERLOADED);
      else {
        stats.waited += 1;
        this.#waiting.push({ costs, nowUs, waiter });
        if (!this.#isAsking) this.#ask();
      }
    });
  }

  /** Where each limit stands at this node. */
  get statuses(): readonly LeaseStatus[] {
    const now = this.#time();
    const [endsInMs, why] = [toMilliseconds(this.#held.lastsUs(now)), this.#renewals.why(now.us)];
    return this.#nothing.map((_, limit) => {
      const held = this.#held.units(limit, now);
      return why === undefined ? { how: "leased", held, endsInMs: held === 0 ? 0 : endsInMs } : { how: "strict", why };
    });
  }

  /** Units have come back. A denial that was requested before is not remembered. */
  forgetDenials(): void {
    this.#denials.forget();
    this.#askedBeforeRefund = this.#isAsking;
  }

  /** Whether the server may count leases of this key for the node. */
  get isLive(): boolean {
    return this.#held.count > 0;
  }

  /** Gives back what the key holds, and forgets denials. */
  giveBack(): void {
    this.forgetDenials();
    this.#tell(this.#held.giveBack(this.#time()));
  }

  /** Reports what was spent. Otherwise a refund of it would count as leased again. */
  report(): void {
    if (this.#held.isUnreported) this.#tell(this.#held.report(this.#time()));
  }

  /** Gives back what an idle key holds. @returns whether the key still has leases. */
  tend(): boolean {
    const now = this.#time();
    this.#held.expire(now);
    if (this.#held.count === 0) return false;
    const isIdle = !this.#isAsking && now.us - this.#held.spentAt.us >= this.#times.chunkUs;
    const isWorth = this.#plan.limits.some(({ capacity }, i) => this.#held.known(i) >= capacity * WORTH_RETURNING);
    if (isIdle && isWorth) this.giveBack();
    return this.#held.count > 0;
  }

  /** If this fails, the leases end by themselves. */
  #tell(reports: readonly LeaseReport[]): void {
    if (reports.length > 0) this.#send(this.#request(reports, 0, this.#nothing), [], UNHEARD);
  }

  #ask(): void {
    const asked = this.#time();
    const run = takeRun(this.#waiting);
    // A call that costs more than is held may conform with the units that are given back.
    const reports = run.length === 0 ? this.#held.report(asked) : this.#held.giveBack(asked);
    const wanted = this.#node.isClosing ? this.#nothing : this.#sizing.wanted(asked.us);
    const ask = this.#request(reports, run.length, wanted);
    this.#isAsking = true;
    this.#node.requests.began();
    this.#send(ask, run, {
      wantsReport: true,
      granted: (admitted, report, grant) => this.#answered(run, ask, asked, admitted, report, grant),
      failed: (error) => this.#failed(run, error),
    });
  }

  /** A request, which takes for calls that wait, and units in advance. */
  #request(reports: readonly LeaseReport[], calls: number, wanted: readonly number[]): LeaseAsk {
    const quietUs = Math.max(0, Math.floor((this.#time().us - this.#held.spentAt.us) * (1 - DRIFT)));
    return { calls, wanted, ttlUs: this.#times.ttlUs, quietUs, number: this.#node.nextNumber(), reports };
  }

  /** Sends a request for calls of one cost. It may be answered before this returns. */
  #send(ask: LeaseAsk, run: readonly WaitingCall[], waiter: LeaseWaiter): void {
    this.#node.stats.asks += 1;
    const call = this.#redis.call(this.#key, run[0]?.costs ?? this.#nothing);
    this.#node.store.lease(call, run.at(-1)?.nowUs ?? readUs(this.#redis.clock), ask, waiter);
  }

  #answered(
    run: readonly WaitingCall[],
    ask: LeaseAsk,
    asked: NodeMoment,
    admitted: number,
    report: Report,
    grant: LeaseGrant,
  ): void {
    const now = this.#time();
    const { us } = now;
    this.#isAsking = false;
    this.reports.note(report, now);
    this.#sizing.answered(grant, us - asked.us);
    const costs = run[0]?.costs ?? this.#nothing;
    if (grant.lastsUs > 0) {
      this.#held.add(grant, ask.number, asked);
      this.#node.live.add(this);
    }
    const isShort = ask.wanted.some((units, i) => units > grant.units[i]!);
    if (admitted < run.length) this.#denials.noteDenial(costs, this.#plan, report, grant, us);
    else if (grant.isScarce && isShort) this.#renewals.noteScarcity(report, grant, us);
    this.#answer(run, admitted, report, now);
    if (this.#renewals.noteNodes(grant.nodes, us)) this.giveBack();
    if (this.#askedBeforeRefund) this.forgetDenials();
    this.#serve();
    this.#node.requests.answered();
  }

  #answer(run: readonly WaitingCall[], admitted: number, report: Report, now: NodeMoment): void {
    for (let i = 0; i < run.length; i += 1) {
      const { costs, waiter } = run[i]!;
      if (i < admitted) {
        answer(waiter, true, this.reports.admitted(costs, now, report.resets, admitted - 1 - i));
      } else {
        const isNoted = this.#denials.find(costs, now.us) !== undefined;
        answer(waiter, false, isNoted ? this.reports.denied(costs) : report);
      }
    }
  }

  #failed(run: readonly WaitingCall[], error: unknown): void {
    this.#isAsking = false;
    this.#renewals.pauseAfterFailure(this.#time().us);
    // Calls that came meanwhile would wait for a second timeout.
    for (const { waiter } of [...run, ...this.#waiting.splice(0)]) answerWithout(waiter, error);
    this.#node.requests.answered();
  }

  /** Decides calls that came while the key was asked. */
  #serve(): void {
    const now = this.#time();
    let served = 0;
    for (const { costs, waiter } of this.#waiting) {
      const isDenied = this.#denials.find(costs, now.us) !== undefined;
      const isAdmitted = this.#held.spend(costs, now);
      if (!(isAdmitted || isDenied)) break;
      served += 1;
      if (isAdmitted) {
        this.#node.stats.spent += costs[0]!;
        answer(waiter, true, this.spentReport(costs));
      } else answer(waiter, false, this.reports.denied(costs));
    }
    this.#waiting.splice(0, served);
    if (this.#waiting.length > 0 && !this.#isAsking) this.#ask();
  }
}
