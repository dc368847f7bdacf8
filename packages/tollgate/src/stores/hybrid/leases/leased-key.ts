import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseAsk, LeaseGrant } from "../../redis/script/lease.ts";
import { DRIFT, type NodeMoment } from "./held-leases.ts";
import { isNews, KeyHoldings, type Reported } from "./key-holdings.ts";
import { KeyReports } from "./key-reports.ts";
import type { AskServer, LeaseNode, Uncovered } from "./lease-node.ts";
import { type LeaseTimes, UNITS_OF_NODE } from "./lease-times.ts";
import { LocalDenials } from "./local-denials.ts";
import { type KeyOfPlaces, PlaceCalls } from "./place-calls.ts";
import { Sizing } from "./sizing.ts";
import { type WaitingCall, WaitingCalls } from "./waiting-calls.ts";

/** A renewal that failed is not repeated for so long, unless a call waits. */
const PAUSE_AFTER_FAILURE_US = 100_000;
/** A key whose capacity is too small for its nodes is asked call by call for so many times a lease's worth. */
const STRICT_CHUNKS = 20;
/** Idle units are given back if they are at least this part of a capacity. Fewer end by themselves. */
const WORTH_RETURNING = 0.05;
/** So many calls that wait together count as demand. */
const MOST_COUNTED = 24;

/**
 * One key of one node: the leases that it holds, the calls that wait for the server, and what it remembers of denials.
 * Reports about leases are absolute, and no request is repeated. So a lost, late or repeated request admits nothing
 * more.
 */
export class LeasedKey {
  readonly plan: Plan;
  readonly #times: LeaseTimes;
  readonly #node: LeaseNode;
  readonly #askServer: AskServer;
  readonly #held: KeyHoldings;
  readonly #sizing: Sizing;
  readonly #denials: LocalDenials;
  readonly #reports: KeyReports;
  readonly #nothing: readonly number[];
  readonly #waiting = new WaitingCalls();
  #isAsking = false;
  #askedBeforeRefund = false;
  #spentUs: number;
  /** No renewals before this moment. */
  #renewsFromUs = Number.NEGATIVE_INFINITY;
  /** The key is asked call by call before this moment. */
  #leasesFromUs = Number.NEGATIVE_INFINITY;

  constructor(plan: Plan, times: LeaseTimes, node: LeaseNode, askServer: AskServer) {
    this.plan = plan;
    this.#times = times;
    this.#node = node;
    this.#askServer = askServer;
    this.#spentUs = node.time.us();
    const places = plan.takesPlaces ? new PlaceCalls(plan, times, node, this.#keyOfPlaces) : undefined;
    this.#held = new KeyHoldings(plan, node.stats, places?.leased);
    this.#sizing = new Sizing(plan, times, this.#spentUs);
    this.#denials = new LocalDenials(times, node.random);
    this.#reports = new KeyReports(plan, this.#denials, this.#spentUs);
    this.#nothing = plan.limits.map(() => 0);
  }

  /** The hot path. @returns whether the leases cover the cost, which is spent then. */
  spend(costs: readonly number[]): boolean {
    const us = this.#node.time.us();
    if (!this.#spend(costs, us)) return false;
    this.#sizing.count(costs);
    this.#node.stats.decidedLocally += 1;
    if (!this.#isAsking && us >= this.#renewsFromUs && this.#isLow(us)) this.#renew(us);
    return true;
  }

  /** How a call is decided that `spend` did not admit. Counts it as demand, unless many wait already. */
  uncovered(costs: readonly number[]): Uncovered {
    const us = this.#node.time.us();
    if (us < this.#leasesFromUs || costs.every((cost) => cost === 0)) return "strict";
    if (this.#denials.find(costs, us) !== undefined) {
      this.#node.stats.decidedLocally += 1;
      return "denied";
    }
    // Calls of a pulse wait together. They are no demand that a lease could serve.
    if (this.#waiting.count < MOST_COUNTED) this.#sizing.count(costs);
    if (this.#isAsking || this.#held.count > 0) return "ask";
    return this.#sizing.wanted(us).some((units) => units > 0) ? "ask" : "strict";
  }

  /** Whether a call is known to be denied. */
  isDenied(costs: readonly number[]): boolean {
    return this.#denials.find(costs, this.#node.time.us()) !== undefined;
  }

  /** Asks the server for a call, or joins the next request. Calls are answered in their order. */
  join(call: WaitingCall): void {
    this.#node.stats.waited += 1;
    this.#waiting.add(call);
    if (!this.#isAsking) this.#ask();
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.#waiting.count;
  }

  /** The report of a call that was admitted. `later` calls of the same cost were, too, by the same answer. */
  admittedReport(costs: readonly number[], later: number): Report {
    return this.#reports.admitted(costs, later, this.held, this.#node.time.us());
  }

  /** The report of a call that `uncovered` denied. */
  deniedReport(costs: readonly number[]): Report {
    return this.#reports.denied(costs, this.held, this.#node.time.us());
  }

  /** The server's report, less what this node holds. */
  restated(costs: readonly number[], report: Report): Report {
    return this.#reports.restated(costs, this.held, report);
  }

  /** Units that may be spent without the server, one entry per limit. */
  get held(): readonly number[] {
    const { us, wallUs } = this.#moment;
    return this.#nothing.map((_, limit) => this.#held.units(limit, us, wallUs));
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

  /** Works like `giveBack`, for a key whose counts are forgotten: calls hold no places any more. */
  forget(): void {
    this.forgetDenials();
    const { us, wallUs } = this.#moment;
    this.#tell(this.#held.forget(us, wallUs));
  }

  /** Tells the server which places calls have freed, where it does not know. */
  settle(): void {
    this.#tell(this.#held.news(this.#moment.us));
  }

  /** Gives back what an idle key holds. @returns whether the key still has leases. */
  tend(): boolean {
    const { us, wallUs } = this.#moment;
    this.#held.expire(us, wallUs);
    const isIdle = !this.#isAsking && us - this.#spentUs >= this.#times.chunkUs;
    const isWorth = this.plan.limits.some(({ capacity }, i) => this.#held.known(i) >= capacity * WORTH_RETURNING);
    if (isIdle && isWorth) this.giveBack();
    else if (!this.#isAsking) this.settle();
    return this.#held.count > 0;
  }

  get #keyOfPlaces(): KeyOfPlaces {
    return {
      send: (reported, waiter) => this.#send(reported, waiter),
      count: (costs) => this.#sizing.count(costs),
      freed: () => {
        if (this.#waiting.count > 0) this.#serve();
      },
    };
  }

  get #moment(): NodeMoment {
    return { us: this.#node.time.us(), wallUs: this.#node.time.wallUs() };
  }

  #spend(costs: readonly number[], us: number): boolean {
    if (!this.#held.spend(costs, us, this.#node.time.wallUs())) return false;
    this.#reports.decidedUs = this.#held.lentUs;
    this.#spentUs = us;
    this.#node.stats.spent += costs[0]!;
    return true;
  }

  #isLow(us: number): boolean {
    return this.#held.isLow(this.#sizing.low, us, this.#node.time.wallUs(), this.#sizing.roundTripUs * 2);
  }

  #renew(us: number): void {
    if (this.#sizing.wanted(us).some((units) => units > 0)) this.#ask();
    else this.#renewsFromUs = us + this.#times.chunkUs / 4;
  }

  #ask(): void {
    const run = this.#waiting.takeRun();
    const asked = this.#moment;
    // A call that costs more than is held may conform with it.
    const { us, wallUs } = asked;
    const reported = run[0] === undefined ? this.#held.report(us, wallUs) : this.#held.offer(run[0].costs, us, wallUs);
    const ask = this.#askFor(run.length, this.#held.wanted(this.#sizing.wanted(us)), reported, us);
    const waiter = new LeaseWaiter(
      (admitted, report, grant) => this.#answered(run, ask, asked, admitted, report, grant),
      (error) => this.#failed(run, ask, error),
    );
    this.#isAsking = true;
    this.#askServer(run[0]?.costs ?? this.#nothing, run.at(-1)?.nowUs, ask, waiter);
  }

  /** Tells the server what has changed. If that fails, leases end by themselves. */
  #tell(reported: Reported): void {
    if (isNews(reported)) this.#send(reported, new LeaseWaiter(ignore, ignore));
  }

  #send(reported: Reported, waiter: LeaseWaiter): LeaseAsk {
    const ask = this.#askFor(0, this.#nothing, reported, this.#node.time.us());
    this.#askServer(this.#nothing, undefined, ask, waiter);
    return ask;
  }

  #askFor(calls: number, wanted: readonly number[], reported: Reported, us: number): LeaseAsk {
    this.#node.stats.asks += 1;
    const quietUs = Math.floor((us - this.#spentUs) * (1 - DRIFT));
    return { calls, wanted, ttlUs: this.#times.ttlUs, quietUs, number: this.#node.nextNumber(), ...reported };
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
    this.#reports.note(report, us);
    this.#sizing.answered(grant, us - asked.us);
    const mayLend = report.block === undefined && us >= this.#leasesFromUs;
    this.#held.answered({ ask, grant, asked, admitted, costs: run[0]?.costs ?? this.#nothing, mayLend });
    if (grant.lastsUs > 0) this.#node.noteLive(this);
    const isShort = ask.wanted.some((units, i) => units > grant.units[i]!);
    if (admitted < run.length) this.#denials.noteDenial(run[0]!.costs, this.plan, report, grant, us);
    else if (grant.isScarce && isShort) this.#renewsFromUs = this.#denials.noteScarcity(this.plan, report, grant, us);
    this.#answer(run, admitted, report, us);
    // The calls have got their places by now.
    if (this.#times.leastCapacity < UNITS_OF_NODE * grant.nodes) this.#beStrict(us);
    if (this.#askedBeforeRefund) this.forgetDenials();
    this.#serve();
  }

  #answer(run: readonly WaitingCall[], admitted: number, report: Report, us: number): void {
    for (let i = 0; i < run.length; i += 1) {
      const { costs } = run[i]!;
      if (i < admitted) {
        this.#reports.decidedUs = this.#held.lendAnswered(costs, us) ?? report.decidedUs;
        run[i]!.admitted(admitted - 1 - i);
      } else run[i]!.denied(this.#denials.find(costs, us) === undefined ? report : this.deniedReport(costs));
    }
  }

  #failed(run: readonly WaitingCall[], ask: LeaseAsk, error: unknown): void {
    this.#held.failed(ask);
    this.#isAsking = false;
    this.#renewsFromUs = this.#node.time.us() + PAUSE_AFTER_FAILURE_US;
    for (const call of run) call.failed(error);
    this.#serve();
  }

  /** Too many nodes share the capacity: until later, each call asks. */
  #beStrict(us: number): void {
    this.#leasesFromUs = us + STRICT_CHUNKS * this.#times.chunkUs;
    this.giveBack();
  }

  /** Decides calls that came while the key was asked. */
  #serve(): void {
    const us = this.#node.time.us();
    for (let call = this.#waiting.first; call !== undefined; call = this.#waiting.first) {
      const isDenied = this.#denials.find(call.costs, us) !== undefined;
      const isAdmitted = this.#spend(call.costs, us);
      if (!(isAdmitted || isDenied)) break;
      this.#waiting.removeFirst();
      if (isAdmitted) call.admitted(0);
      else call.denied(this.deniedReport(call.costs));
    }
    if (this.#waiting.count > 0 && !this.#isAsking) this.#ask();
  }
}

function ignore(): void {}
