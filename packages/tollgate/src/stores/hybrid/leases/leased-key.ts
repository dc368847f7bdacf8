import type { LeaseStatus } from "../../../core/lease-status.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseAsk, LeaseGrant } from "../../redis/script/lease.ts";
import type { Held, NodeMoment } from "./held.ts";
import { HeldLeases } from "./held-leases.ts";
import { KeyHoldings } from "./key-holdings.ts";
import { KeyReports, statusesOf } from "./key-reports.ts";
import { KeyRequests } from "./key-requests.ts";
import type { AskServer, LeaseNode, Uncovered } from "./lease-node.ts";
import type { LeaseTimes } from "./lease-times.ts";
import { LeasedPlaces, type LeasedPlacesParts } from "./leased-places.ts";
import { LocalDenials } from "./local-denials.ts";
import { type KeyOfPlaces, PlaceCalls } from "./place-calls.ts";
import type { PlaceHolder } from "./place-holders.ts";
import type { Places } from "./places.ts";
import { Renewals } from "./renewals.ts";
import { Sizing } from "./sizing.ts";
import { type WaitingCall, WaitingCalls } from "./waiting-calls.ts";

/** Idle units are given back if they are at least this part of a capacity. Fewer end by themselves. */
const WORTH_RETURNING = 0.05;
/** So many calls that wait together count as demand. */
const MOST_COUNTED = 24;

/** What the threads of a process hold of a key together. */
export interface HeldTogether {
  readonly units: Held;
  placesOf(parts: LeasedPlacesParts): Places;
}

/**
 * One key of one node: the leases that it holds, the calls that wait for the server, and what it remembers of denials.
 * Reports about leases are absolute, and no request is repeated. So a lost, late or repeated request admits nothing
 * more.
 */
export class LeasedKey {
  readonly plan: Plan;
  readonly #times: LeaseTimes;
  readonly #node: LeaseNode;
  readonly #requests: KeyRequests;
  readonly #held: KeyHoldings;
  /** The units, where no limit counts places. */
  readonly #plenty: Held | undefined;
  readonly #sizing: Sizing;
  readonly #denials: LocalDenials;
  readonly #renewals: Renewals;
  /** What callers are told. */
  readonly reports: KeyReports;
  readonly #nothing: readonly number[];
  readonly #waiting = new WaitingCalls();
  #isAsking = false;
  /** Whether calls wait until another thread has asked for the key. */
  #isBehind = false;
  #askedBeforeRefund = false;

  /** Without what the threads of the process hold together, the leases are this thread's alone. */
  constructor(plan: Plan, times: LeaseTimes, node: LeaseNode, askServer: AskServer, together?: HeldTogether) {
    const us = node.time.us();
    this.plan = plan;
    this.#times = times;
    this.#node = node;
    const units = together?.units ?? new HeldLeases(node.stats, us);
    const { stats, holders } = node;
    const placesOf = (holder: PlaceHolder): Places => {
      const parts = { plan, times, stats, holders, holder, nowUs: us };
      return together?.placesOf(parts) ?? new LeasedPlaces(parts);
    };
    const places = plan.takesPlaces ? new PlaceCalls(node, this.#keyOfPlaces, placesOf) : undefined;
    this.#plenty = places === undefined ? units : undefined;
    this.#held = new KeyHoldings(plan, units, places?.leased);
    this.#nothing = plan.limits.map(() => 0);
    this.#requests = new KeyRequests(node, times.ttlUs, this.#held, this.#nothing, askServer);
    this.#sizing = new Sizing(plan, times, us);
    this.#sizing.use(units.demand);
    this.#denials = new LocalDenials(times, node.random, units);
    const [renewed, sizing, denials] = [this.#held, this.#sizing, this.#denials];
    this.#renewals = new Renewals({ plan, times, held: renewed, sizing, denials });
    this.reports = new KeyReports(plan, this.#denials, node.time, () => this.held);
  }

  /** The hot path. @returns whether the leases cover the cost, which is spent then. */
  spend(costs: readonly number[]): boolean {
    const { time, stats } = this.#node;
    const us = time.us();
    const isPlenty = this.#plenty?.spendOfPlenty(costs, this.#sizing, us, time.wallUs());
    if (!(isPlenty === true || this.#spendRest(costs, us))) return false;
    this.#sizing.count(costs);
    stats.spent += costs[0]!;
    stats.decidedLocally += 1;
    return true;
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
    if (this.#waiting.count < MOST_COUNTED) this.#sizing.count(costs);
    this.#sizing.use(this.#held.units.demand);
    return this.#isAsking || this.#renewals.mayLease(us) ? "ask" : "strict";
  }

  /** Whether a call is known to be denied. */
  isDenied(costs: readonly number[]): boolean {
    return this.#denials.find(costs, this.#node.time.us()) !== undefined;
  }

  /** Asks the server for a call, or joins the next request. Calls are answered in their order. */
  join(call: WaitingCall): void {
    this.#node.stats.waited += 1;
    this.#waiting.add(call);
    if (!(this.#isAsking || this.#isBehind)) this.#ask();
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.#waiting.count;
  }

  /** Units that may be spent without the server, one entry per limit. */
  get held(): readonly number[] {
    const { us, wallUs } = this.#moment;
    return this.#nothing.map((_, limit) => this.#held.left(limit, us, wallUs));
  }

  /** Where each limit stands at this node. */
  get statuses(): readonly LeaseStatus[] {
    const { us, wallUs } = this.#moment;
    this.#sizing.use(this.#held.units.demand);
    const lastsUs = this.plan.limits.map((_, limit) => this.#held.lastsUs(limit, us, wallUs));
    return statusesOf(this.held, lastsUs, this.#renewals.why(us));
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
    this.#requests.tell(this.#held.giveBack(us, wallUs));
  }

  /** Works like `giveBack`, for a key whose counts are forgotten: calls hold no places any more. */
  forget(): void {
    this.forgetDenials();
    const { us, wallUs } = this.#moment;
    this.#requests.tell(this.#held.forget(us, wallUs));
  }

  /** Tells the server which places calls have freed, where it does not know. */
  settle(): void {
    this.#requests.tell(this.#held.news(this.#moment.us));
  }

  /** Gives back what an idle key holds. @returns whether the key still has leases. */
  tend(): boolean {
    const { us, wallUs } = this.#moment;
    this.#held.expire(us, wallUs);
    if (this.#held.count === 0) return false;
    const isIdle = !this.#isAsking && us - this.#held.spentUs >= this.#times.chunkUs;
    const isWorth = this.plan.limits.some(({ capacity }, i) => this.#held.known(i) >= capacity * WORTH_RETURNING);
    if (isIdle && isWorth) this.giveBack();
    else if (!this.#isAsking) this.settle();
    return this.#held.count > 0;
  }

  get #keyOfPlaces(): KeyOfPlaces {
    return {
      send: (reported, waiter) => this.#requests.report(reported, waiter),
      count: (costs) => this.#sizing.count(costs),
      freed: () => {
        if (this.#waiting.count > 0) this.#serve();
      },
    };
  }

  get #moment(): NodeMoment {
    return { us: this.#node.time.us(), wallUs: this.#node.time.wallUs() };
  }

  /** Spends, and renews the leases where little is left. */
  #spendRest(costs: readonly number[], us: number): boolean {
    const wallUs = this.#node.time.wallUs();
    if (!this.#held.spend(costs, us, wallUs)) return false;
    this.reports.decidedUs = this.#held.lentUs;
    // Places that a call never frees come back, whichever thread took the lease.
    if (this.#plenty === undefined) this.#node.noteLive(this);
    if (!this.#isAsking && this.#renewals.isDue(us, wallUs)) this.#ask();
    return true;
  }

  #spend(costs: readonly number[], us: number): boolean {
    if (!this.#held.spend(costs, us, this.#node.time.wallUs())) return false;
    this.reports.decidedUs = this.#held.lentUs;
    this.#node.stats.spent += costs[0]!;
    return true;
  }

  #ask(): void {
    const asked = this.#moment;
    if (!this.#held.units.beginAsk(asked.us, this.#waiting.count > 0 ? this.#tryAgain : undefined)) {
      this.#isBehind = this.#waiting.count > 0;
      this.#renewals.pauseForOthers(asked.us);
      return;
    }
    const run = this.#waiting.takeRun();
    // A call that costs more than is held may conform with it.
    const { us, wallUs } = asked;
    const reported = run[0] === undefined ? this.#held.report(us, wallUs) : this.#held.offer(run[0].costs, us, wallUs);
    const ask = this.#requests.make(reported, run.length, this.#held.wanted(this.#sizing.wanted(us)));
    const waiter = new LeaseWaiter(
      (admitted, report, grant) => this.#answered(run, ask, asked, admitted, report, grant),
      (error) => this.#failed(run, ask, error),
    );
    this.#isAsking = true;
    this.#requests.send(ask, run[0]?.costs ?? this.#nothing, run.at(-1)?.nowUs, waiter);
  }

  /** Another thread may have asked by now. */
  readonly #tryAgain = (): void => {
    this.#isBehind = false;
    this.#serve();
  };

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
    this.#sizing.answered(this.#held.unitsOf(grant), us - asked.us);
    const mayLend = report.block === undefined && !this.#renewals.isStrict(us);
    const costs = run[0]?.costs ?? this.#nothing;
    this.#requests.tell(this.#held.answered({ ask, grant, asked, admitted, costs, mayLend }));
    if (grant.lastsUs > 0) this.#node.noteLive(this);
    const isShort = ask.wanted.some((units, i) => units > grant.units[i]!);
    if (admitted < run.length) this.#denials.noteDenial(costs, this.plan, report, grant, us);
    else if (grant.isScarce && isShort) this.#renewals.noteScarcity(report, grant, us);
    this.#held.units.endAsk();
    this.#answer(run, admitted, report, us);
    // The calls have got their places by now.
    if (this.#renewals.noteNodes(grant.nodes, us)) this.giveBack();
    if (this.#askedBeforeRefund) this.forgetDenials();
    this.#serve();
  }

  #answer(run: readonly WaitingCall[], admitted: number, report: Report, us: number): void {
    for (let i = 0; i < run.length; i += 1) {
      const { costs } = run[i]!;
      if (i < admitted) {
        this.reports.decidedUs = this.#held.lendAnswered(costs, us) ?? report.decidedUs;
        run[i]!.admitted(admitted - 1 - i);
      } else run[i]!.denied(this.#denials.find(costs, us) === undefined ? report : this.reports.denied(costs));
    }
  }

  #failed(run: readonly WaitingCall[], ask: LeaseAsk, error: unknown): void {
    this.#held.failed(ask);
    this.#isAsking = false;
    this.#held.units.endAsk();
    this.#renewals.pauseAfterFailure(this.#node.time.us());
    // Calls that came meanwhile would wait for a second timeout.
    for (const call of [...run, ...this.#waiting.takeAll()]) call.failed(error);
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
      else call.denied(this.reports.denied(call.costs));
    }
    if (this.#waiting.count > 0 && !(this.#isAsking || this.#isBehind)) this.#ask();
  }
}
