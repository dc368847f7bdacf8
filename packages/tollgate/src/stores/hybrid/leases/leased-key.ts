import type { LeaseStatus } from "../../../core/lease-status.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import type { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseAsk, LeaseGrant, LeaseReport } from "../../redis/script/lease.ts";
import { HeldLeases } from "./held-leases.ts";
import { KeyReports, statusesOf } from "./key-reports.ts";
import type { KnownKey } from "./known-keys.ts";
import type { AskServer, LeaseNode, Uncovered } from "./lease-node.ts";
import type { LeaseTimes } from "./lease-times.ts";
import { LocalDenials } from "./local-denials.ts";
import { DRIFT, type NodeMoment } from "./node-time.ts";
import { Renewals } from "./renewals.ts";
import { Sizing } from "./sizing.ts";
import { takeRun, type WaitingCall } from "./waiting-take.ts";

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
  readonly plan: Plan;
  readonly #times: LeaseTimes;
  readonly #node: LeaseNode;
  readonly #askServer: AskServer;
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

  constructor(plan: Plan, times: LeaseTimes, node: LeaseNode, askServer: AskServer, forget: () => void) {
    const us = node.time.us();
    this.plan = plan;
    this.forget = forget;
    this.#times = times;
    this.#node = node;
    this.#held = new HeldLeases(node.stats, us);
    this.#nothing = plan.limits.map(() => 0);
    this.#askServer = askServer;
    this.#sizing = new Sizing(plan, times, us);
    this.#denials = new LocalDenials(times, node.random);
    const [held, sizing, denials] = [this.#held, this.#sizing, this.#denials];
    this.#renewals = new Renewals({ plan, times, held, sizing, denials });
    this.reports = new KeyReports(plan, times, denials, node.time, () => this.held);
  }

  /** The hot path. Renews the leases if little is left. @returns whether the leases cover the cost, which is spent. */
  spend(costs: readonly number[]): boolean {
    const { time, stats } = this.#node;
    const us = time.us();
    if (!this.#held.spend(costs, us, time.wallUs())) return false;
    if (this.#held.isLow(this.#sizing, us) && !this.#isAsking && this.#renewals.isDue(us)) this.#ask();
    this.#sizing.count(costs);
    stats.spent += costs[0]!;
    stats.decidedLocally += 1;
    return true;
  }

  /** The report of a call that `spend` has just admitted. */
  spentReport(costs: readonly number[]): Report {
    return this.reports.admitted(costs, this.#held.spentOfUs);
  }

  /** How a call is decided that `spend` did not admit. Counts it as demand, unless many wait already. */
  uncovered(costs: readonly number[]): Uncovered {
    const us = this.#node.time.us();
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
    return this.#denials.find(costs, this.#node.time.us()) !== undefined;
  }

  /** Asks the server for a call, or joins the next request. Calls are answered in their order. */
  join(call: WaitingCall): void {
    this.#node.stats.waited += 1;
    this.#waiting.push(call);
    if (!this.#isAsking) this.#ask();
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Units that may be spent without the server, one entry per limit. */
  get held(): readonly number[] {
    const { us, wallUs } = this.#moment;
    return this.#nothing.map((_, limit) => this.#held.units(limit, us, wallUs));
  }

  /** Where each limit stands at this node. */
  get statuses(): readonly LeaseStatus[] {
    const { us, wallUs } = this.#moment;
    return statusesOf(this.held, this.#held.lastsUs(us, wallUs), this.#renewals.why(us));
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
    const { us, wallUs } = this.#moment;
    this.#tell(this.#held.giveBack(us, wallUs));
  }

  /** Reports what was spent. Otherwise a refund of it would count as leased again. */
  report(): void {
    const { us, wallUs } = this.#moment;
    if (this.#held.isUnreported) this.#tell(this.#held.report(us, wallUs));
  }

  /** Gives back what an idle key holds. @returns whether the key still has leases. */
  tend(): boolean {
    const { us, wallUs } = this.#moment;
    this.#held.expire(us, wallUs);
    if (this.#held.count === 0) return false;
    const isIdle = !this.#isAsking && us - this.#held.spentUs >= this.#times.chunkUs;
    const isWorth = this.plan.limits.some(({ capacity }, i) => this.#held.known(i) >= capacity * WORTH_RETURNING);
    if (isIdle && isWorth) this.giveBack();
    return this.#held.count > 0;
  }

  get #moment(): NodeMoment {
    return { us: this.#node.time.us(), wallUs: this.#node.time.wallUs() };
  }

  /** If this fails, the leases end by themselves. */
  #tell(reports: readonly LeaseReport[]): void {
    if (reports.length > 0) this.#send(this.#request(reports, 0, this.#nothing), [], ignore, ignore);
  }

  #ask(): void {
    const asked = this.#moment;
    const run = takeRun(this.#waiting);
    const { us, wallUs } = asked;
    // A call that costs more than is held may conform with the units that are given back.
    const reports = run.length === 0 ? this.#held.report(us, wallUs) : this.#held.giveBack(us, wallUs);
    const { requests } = this.#node;
    const wanted = requests.isClosing ? this.#nothing : this.#sizing.wanted(us);
    const ask = this.#request(reports, run.length, wanted);
    this.#isAsking = true;
    requests.began();
    this.#send(
      ask,
      run,
      (admitted, report, grant) => this.#answered(run, ask, asked, admitted, report, grant),
      (error) => this.#failed(run, error),
    );
  }

  /** A request, which takes for calls that wait, and units in advance. */
  #request(reports: readonly LeaseReport[], calls: number, wanted: readonly number[]): LeaseAsk {
    const quietUs = Math.max(0, Math.floor((this.#node.time.us() - this.#held.spentUs) * (1 - DRIFT)));
    return { calls, wanted, ttlUs: this.#times.ttlUs, quietUs, number: this.#node.numbers.next(), reports };
  }

  /** Sends a request for calls of one cost. It may be answered before this returns. */
  #send(
    ask: LeaseAsk,
    run: readonly WaitingCall[],
    granted: LeaseWaiter["granted"],
    failed: LeaseWaiter["failed"],
  ): void {
    this.#node.stats.asks += 1;
    const costs = run[0]?.costs ?? this.#nothing;
    this.#askServer(costs, run.at(-1)?.nowUs, ask, { wantsReport: true, granted, failed });
  }

  #answered(
    run: readonly WaitingCall[],
    ask: LeaseAsk,
    asked: NodeMoment,
    admitted: number,
    report: Report,
    grant: LeaseGrant,
  ): void {
    const { us } = this.#moment;
    this.#isAsking = false;
    this.reports.note(report, us);
    this.#sizing.answered(grant, us - asked.us);
    const costs = run[0]?.costs ?? this.#nothing;
    if (grant.lastsUs > 0) {
      this.#held.add(grant, ask.number, asked);
      this.#node.live.add(this);
    }
    const isShort = ask.wanted.some((units, i) => units > grant.units[i]!);
    if (admitted < run.length) this.#denials.noteDenial(costs, this.plan, report, grant, us);
    else if (grant.isScarce && isShort) this.#renewals.noteScarcity(report, grant, us);
    this.#answer(run, admitted, report, us);
    if (this.#renewals.noteNodes(grant.nodes, us)) this.giveBack();
    if (this.#askedBeforeRefund) this.forgetDenials();
    this.#serve();
    this.#node.requests.answered();
  }

  #answer(run: readonly WaitingCall[], admitted: number, report: Report, us: number): void {
    for (let i = 0; i < run.length; i += 1) {
      const { costs } = run[i]!;
      if (i < admitted) run[i]!.admitted(report.resets, admitted - 1 - i);
      else run[i]!.denied(this.#denials.find(costs, us) === undefined ? report : this.reports.denied(costs));
    }
  }

  #failed(run: readonly WaitingCall[], error: unknown): void {
    this.#isAsking = false;
    this.#renewals.pauseAfterFailure(this.#node.time.us());
    // Calls that came meanwhile would wait for a second timeout.
    for (const call of [...run, ...this.#waiting.splice(0)]) call.failed(error);
    this.#node.requests.answered();
  }

  /** Decides calls that came while the key was asked. */
  #serve(): void {
    const { us, wallUs } = this.#moment;
    let served = 0;
    for (const call of this.#waiting) {
      const isDenied = this.#denials.find(call.costs, us) !== undefined;
      const isAdmitted = this.#held.spend(call.costs, us, wallUs);
      if (!(isAdmitted || isDenied)) break;
      served += 1;
      if (isAdmitted) {
        this.#node.stats.spent += call.costs[0]!;
        call.admitted(this.#held.spentOfUs);
      } else call.denied(this.reports.denied(call.costs));
    }
    this.#waiting.splice(0, served);
    if (this.#waiting.length > 0 && !this.#isAsking) this.#ask();
  }
}

function ignore(): void {}
