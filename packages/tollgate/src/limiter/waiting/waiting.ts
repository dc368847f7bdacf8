import { isPromise } from "../../core/checks.ts";
import { type Clock, readInto, readUs } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import { mapMaybeAsync, rejected } from "../../core/maybe-async.ts";
import { Report } from "../../core/report.ts";
import { haveSameItems } from "../choosing/list-cache.ts";
import type { Owner } from "../choosing/owner.ts";
import type { Selected } from "../choosing/selected.ts";
import type { SpaceCall } from "../choosing/space.ts";
import type { Asker } from "../deciding/asker.ts";
import { bindingKeyOf, denyByLimits } from "../deciding/decision-of.ts";
import { Request } from "../deciding/request.ts";
import type { Maybe } from "../kinds.ts";
import { holdingLine, tellBehind } from "./behind.ts";
import type { Line } from "./line.ts";
import type { CheckedWait } from "./wait-options.ts";
import {
  type Answer,
  type KeyLine,
  type KeyLines,
  type LineReason,
  type WaitEnd,
  Waiter,
  type WaitingCall,
} from "./waiter.ts";

/** What waiting needs of a limiter. */
export interface WaitingParts {
  readonly clock: Clock;
  readonly asker: Asker;
  /** The decision on a request that was reported. */
  readonly decisionOn: (request: Request, report: Report) => Decision;
  readonly giveBack: (selected: Selected, cost: Cost, decision: Decision) => void;
  readonly ended: (selected: Selected, cost: Cost, decision: Decision) => void;
}

/** Has calls wait for their turn. */
export class Waiting {
  readonly #parts: WaitingParts;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /** Waits for a turn. `end` is called once, in the turn in which the call is decided. Throws `ERR_COST`. */
  begin(selected: Selected, cost: Cost, { signal, maxWaitUs }: CheckedWait, end: (ended: WaitEnd) => void): void {
    const nowUs = readUs(this.#parts.clock);
    const line = holdingLine(selected.route, selected.keys, nowUs);
    const call = this.#callOf(line?.tail?.call, selected, cost);
    if (signal?.aborted === true) {
      end(rejected(signal.reason));
      return;
    }
    const decision = call.decisionAtOnce() ?? (line && call.denialBehind(line, nowUs, maxWaitUs));
    if (decision !== undefined) {
      call.ended(decision);
      end(decision);
      return;
    }
    const deadlineUs = maxWaitUs === Number.POSITIVE_INFINITY ? undefined : nowUs + maxWaitUs;
    const waiter = new Waiter(call, nextOrder(call), deadlineUs, line !== undefined, signal, end);
    const joined = line ?? firstLine(call);
    joined.join(waiter);
    joined.serve();
  }

  /** The call before, if this one is the same: most calls of a line are alike. */
  #callOf(last: WaitingCall | undefined, selected: Selected, cost: Cost): Turn {
    const isSame = last instanceof Turn && last.isSame(this.#parts, selected, cost);
    return isSame ? last : new Turn(this.#parts, selected.kept(), cost);
  }
}

/** A call of a limiter that waits: it asks the store when it is at the head of its line. */
class Turn implements WaitingCall {
  readonly owners: readonly Owner[];
  readonly lines: readonly KeyLines[];
  readonly #parts: WaitingParts;
  /** Keys and limits, chosen when the first of these calls came. */
  readonly #selected: Selected;
  readonly #cost: Cost;
  readonly #request: Request;

  constructor(parts: WaitingParts, selected: Selected, cost: Cost) {
    this.owners = selected.route.owners;
    this.lines = this.owners.map(({ lines }) => lines);
    this.#parts = parts;
    this.#selected = selected;
    this.#cost = cost;
    this.#request = new Request().set(selected, cost);
  }

  get asker(): Asker {
    return this.#parts.asker;
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

  isSame(parts: WaitingParts, { route, keys }: Selected, cost: Cost): boolean {
    const own = this.#selected;
    return this.#parts === parts && this.#cost === cost && own.route === route && haveSameItems(own.keys, keys);
  }

  ask(waiter: Waiter, line: KeyLine): void {
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

  jitterUs(waitUs: number, denials: number): number {
    return this.asker.jitterUs(waitUs, denials);
  }

  denyBehind(line: KeyLine, reason: LineReason): Decision {
    const request = this.#ownRequest();
    readInto(this.#parts.clock, request.now);
    const report = tellBehind([line], this.asker, request, reason, this.asker.stateOf(request));
    return this.#parts.decisionOn(request, report);
  }

  giveBack(decision: Decision): void {
    this.#parts.giveBack(this.#selected, this.#cost, decision);
  }

  ended(decision: Decision): void {
    this.#parts.ended(this.#selected, this.#cost, decision);
  }

  /** Decides a call that no store is asked about. */
  decisionAtOnce(): Decision | undefined {
    const { deniedBy } = this.#selected;
    if (deniedBy !== undefined) return denyByLimits(deniedBy);
    // Without a key there is nothing to wait for.
    return this.owners.length === 0 ? this.#parts.decisionOn(this.#request, new Report()) : undefined;
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
        line.told = { calls: request.calls, report, atUs: readUs(this.#parts.clock) };
      const decision = this.#parts.decisionOn(request, report);
      return { decision, bindingKey: decision.allowed ? 0 : bindingKeyOf(request.route, report) };
    });
  }

  /** A call that waits is no offence: a denial must not begin a block. */
  #report(request: Request): Maybe<Report> {
    const { asker } = this;
    if (!request.route.blocks) return asker.askInTurn("take", request);
    // What begins empty begins to fill with its first call.
    const nothing = request.route.limits.map(() => 0);
    const touch = new Request().setCounts(this.#selected, 0, nothing);
    return mapMaybeAsync(asker.askInTurn("take", touch), () =>
      mapMaybeAsync(asker.askInTurn("peek", request), (report) =>
        report.admitted ? asker.askInTurn("take", request) : report,
      ),
    );
  }
}

/** Whether one more call may wait in a line: for all of its keys, or for that of the line. */
function hasRoomIn(line: Line, { owners }: Turn): boolean {
  return owners.some(({ lines }) => (owners.length === 1 || lines.find(line.key) === line) && lines.hasRoomIn(line));
}

/** The line in which a call waits that is the first for its keys. */
function firstLine({ owners, keys }: Turn): Line {
  for (const [i, { lines }] of owners.entries()) {
    const line = lines.find(keys[i]!);
    if (line !== undefined) return line;
  }
  return owners[0]!.lines.open(keys[0]!);
}

/** Greater than those of all calls that may stand in the same lines. */
function nextOrder({ owners }: Turn): number {
  let order = 0;
  for (const { lines } of owners) if (lines.lastOrder >= order) order = lines.lastOrder + 1;
  for (const { lines } of owners) lines.lastOrder = order;
  return order;
}

/** Whether a call can never pass. */
function isOverCapacity({ space, costs }: SpaceCall): boolean {
  const { limits } = space.plan;
  for (let i = 0; i < limits.length; i += 1) {
    if (limits[i]!.mode === "enforce" && costs[i]! > limits[i]!.capacity) return true;
  }
  return false;
}
