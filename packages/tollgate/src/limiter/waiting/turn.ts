import { isPromise } from "../../core/checks.ts";
import { readInto, readUs } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import { later, type Maybe, mapMaybeAsync } from "../../core/maybe-async.ts";
import { Report } from "../../core/report.ts";
import { haveSameItems } from "../choosing/list-cache.ts";
import type { Owner } from "../choosing/owner.ts";
import type { Selected } from "../choosing/selected.ts";
import type { SpaceCall } from "../choosing/space.ts";
import type { Asker } from "../deciding/asker.ts";
import type { Decider } from "../deciding/decider.ts";
import { bindingKeyOf, denyByLimits } from "../deciding/decision-of.ts";
import { Request } from "../deciding/request.ts";
import { CountedCall } from "../reserving/counted-call.ts";
import { tellBehind } from "./behind.ts";
import type { Line } from "./line.ts";
import type { Answer, KeyLine, KeyLines, LineReason, Waiter, WaitingCall } from "./waiter.ts";

/** A call of a limiter that waits: it asks the store when it is at the head of its line. */
export class Turn implements WaitingCall {
  readonly owners: readonly Owner[];
  readonly lines: readonly KeyLines[];
  readonly #limiter: Decider;
  /** Keys and limits, chosen when the first of these calls came. */
  readonly #selected: Selected;
  readonly #cost: Cost;
  readonly #request: Request;

  constructor(limiter: Decider, selected: Selected, cost: Cost) {
    this.owners = selected.route.owners;
    this.lines = this.owners.map(({ lines }) => lines);
    this.#limiter = limiter;
    this.#selected = selected;
    this.#cost = cost;
    this.#request = new Request().set(selected, cost);
  }

  get asker(): Asker {
    return this.#limiter.asker;
  }

  get keys(): readonly string[] {
    return this.#selected.keys;
  }

  get calls(): readonly SpaceCall[] {
    return this.#request.calls;
  }

  get takesPlaces(): boolean {
    return this.#selected.route.takesPlaces;
  }

  isSame(limiter: Decider, { route, keys }: Selected, cost: Cost): boolean {
    const own = this.#selected;
    return this.#limiter === limiter && this.#cost === cost && own.route === route && haveSameItems(own.keys, keys);
  }

  ask(waiter: Waiter, line: KeyLine): void {
    if (waiter.pulse === undefined || this.asker.kind === "sync") this.#askNow(waiter, line);
    else waiter.pulse.askLater(() => this.#askNow(waiter, line));
  }

  #askNow(waiter: Waiter, line: KeyLine): void {
    try {
      const answered = this.#take(line);
      if (!isPromise(answered)) line.answered(waiter, answered);
      else
        answered.then(
          (answer) => line.answered(waiter, answer),
          (error: unknown) => line.failed(waiter, error),
        );
    } catch (error) {
      line.failed(waiter, error);
    }
  }

  denyBehind(line: KeyLine, reason: LineReason): Decision {
    const request = this.#ownRequest();
    readInto(this.#limiter.clock, request.now);
    const report = tellBehind([line], this.asker, request, reason, this.asker.stateOf(request));
    return this.#limiter.decisionOn(request, report);
  }

  giveBack(decision: Decision): void {
    void later(() => new CountedCall(this.#limiter, this.#selected, this.#cost, decision).cancel()).catch(() => {});
  }

  ended(decision: Decision): void {
    this.#limiter.ended(this.#selected, this.#cost, decision);
  }

  /** Decides a call that no store is asked about. */
  decisionAtOnce(): Decision | undefined {
    const { deniedBy } = this.#selected;
    if (deniedBy !== undefined) return denyByLimits(deniedBy);
    // Without a key there is nothing to wait for.
    return this.owners.length === 0 ? this.#limiter.decisionOn(this.#request, new Report()) : undefined;
  }

  /** The denial of the call, if it may not wait at the end of a line. */
  denialBehind(line: Line, nowUs: number, maxWaitUs: number): Decision | undefined {
    const { calls } = this;
    if (!hasRoomIn(line, this)) return this.denyBehind(line, "queue-full");
    if (maxWaitUs !== Number.POSITIVE_INFINITY && !(this.takesPlaces && maxWaitUs > 0)) {
      const servedUs = line.forecast(this.asker, nowUs).whenUs(calls, 0) + line.lateUs;
      if (servedUs > nowUs + maxWaitUs) return this.denyBehind(line, "others-waiting");
    }
    return calls.some(isOverCapacity) ? this.denyBehind(line, "others-waiting") : undefined;
  }

  /** A store of this process has decided before there is another request of the call. */
  #ownRequest(): Request {
    return this.asker.kind === "sync" ? this.#request : new Request().set(this.#selected, this.#cost);
  }

  #take(line: KeyLine): Maybe<Answer> {
    const request = this.#ownRequest();
    return mapMaybeAsync(this.#report(request), (report) => {
      if (this.asker.kind === "async" && !report.admitted && report.hasEntries)
        line.told = { calls: request.calls, report, atUs: readUs(this.#limiter.clock) };
      const decision = this.#limiter.decisionOn(request, report);
      return { decision, bindingKey: decision.allowed ? 0 : bindingKeyOf(request.route, report) };
    });
  }

  /** A call that waits is no offence: a denial must neither begin nor extend a block. */
  #report(request: Request): Maybe<Report> {
    const { asker } = this;
    if (!request.route.blocks) return asker.askInTurn("take", request);
    return mapMaybeAsync(asker.askInTurn("peek", request), (report) => {
      if (report.admitted) return asker.askInTurn("take", request);
      return report.block === undefined ? mapMaybeAsync(this.#touch(request), () => report) : report;
    });
  }

  /** A bucket that starts empty begins to fill with its first call, which the peek was. */
  #touch({ route, now }: Request): Maybe<Report> {
    const nothing = route.limits.map(() => 0);
    const touch = new Request().setCounts(this.#selected, 0, nothing);
    touch.atUs = now[0];
    return this.asker.askInTurn("take", touch);
  }
}

/** Whether one more call may wait in a line: for all of its keys, or for that of the line. */
function hasRoomIn(line: Line, { owners }: Turn): boolean {
  return owners.some(({ lines }) => (owners.length === 1 || lines.find(line.key) === line) && lines.hasRoomIn(line));
}

/** Whether a call can never pass. */
function isOverCapacity({ space, costs }: SpaceCall): boolean {
  const { limits } = space.plan;
  for (let i = 0; i < limits.length; i += 1) {
    if (limits[i]!.mode === "enforce" && costs[i]! > limits[i]!.capacity) return true;
  }
  return false;
}
