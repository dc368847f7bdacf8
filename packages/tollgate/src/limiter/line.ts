import { readUs } from "../core/clock.ts";
import type { Decision } from "../core/decision.ts";
import { countsPlaces } from "../core/limits/concurrency-limit.ts";
import { type Sleeper, Timer } from "../core/timer.ts";
import type { Forecast } from "./forecast.ts";
import { nextLookUs } from "./next-look.ts";
import type { PlannedSpace } from "./space-list.ts";
import type { KeyLine, KeyLines, LineReason, Server, Told, Waiter, WaitingCall } from "./waiter.ts";
import { WaiterList } from "./waiter-list.ts";

const NEVER = Number.POSITIVE_INFINITY;

/**
 * The calls that wait for one key, first come, first served. Only the head is asked for, at the moment that its last
 * denial told, so a line has one timer however many wait.
 *
 * The head is ready to be asked for, being asked for, or it waits for its moment. Each change goes through `serve`.
 */
export class Line<Space extends PlannedSpace> implements KeyLine<Space>, Sleeper {
  readonly key: string;
  told: Told<Space> | undefined = undefined;
  readonly #lines: KeyLines<Space>;
  readonly #timer: Timer;
  readonly #waiters = new WaiterList<Space>();
  #state: "ready" | "asking" | "waiting" = "ready";
  #isServing = false;
  /** When the head is due, if it waits. */
  #dueUs = NEVER;
  /** How many times in a row the head was denied. */
  #denials = 0;
  /** No call has a deadline before. */
  #deadlineUs = NEVER;
  #forecast: Forecast<Space> | undefined = undefined;

  constructor(lines: KeyLines<Space>, key: string) {
    this.key = key;
    this.#lines = lines;
    this.#timer = new Timer(lines.clock, this);
  }

  get length(): number {
    return this.#waiters.length;
  }

  get head(): Waiter<Space> | undefined {
    return this.#waiters.head;
  }

  get tail(): Waiter<Space> | undefined {
    return this.#waiters.tail;
  }

  /** Whether calls that do not wait come after those that do. A call that is asked for at once holds up no others. */
  get isHolding(): boolean {
    return this.length > (this.#state === "asking" && this.#denials === 0 ? 1 : 0);
  }

  join(waiter: Waiter<Space>): void {
    waiter.line = this;
    this.#waiters.add(waiter);
    this.#lines.count(1);
    if (waiter !== this.tail) this.#forecast = undefined;
    if (this.#forecast !== undefined) waiter.foreseenUs = waiter.call.server.foresee(this.#forecast, waiter, 0);
    if (waiter.deadlineUs < this.#deadlineUs) this.#deadlineUs = waiter.deadlineUs;
    if (this.head === waiter) this.#begin();
  }

  leave(waiter: Waiter<Space>): void {
    this.#forecast = undefined;
    this.#remove(waiter);
  }

  setDue(dueUs: number): void {
    if (this.#state === "asking") return;
    this.#state = "waiting";
    this.#dueUs = dueUs;
    this.#arm();
  }

  serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.head !== undefined && this.#state === "ready") this.#ask(this.head);
    this.#isServing = false;
    if (this.head !== undefined) this.#arm();
    else if (this.#state !== "asking") {
      this.#timer.set(NEVER);
      this.#lines.remove(this);
    }
  }

  /** The head is due, or a deadline has come. */
  wake(): void {
    const nowUs = this.#nowUs();
    if (this.#state === "waiting" && !(nowUs < this.#dueUs)) this.#state = "ready";
    this.serve();
    if (nowUs >= this.#deadlineUs) this.#expire(nowUs);
  }

  /** Serves the calls that are due, in case the timer is late. */
  serveDue(nowUs: number): void {
    if (nowUs < this.#dueUs || this.#state !== "waiting") return;
    this.#state = "ready";
    this.serve();
  }

  /** What counts for the key has become less: the head may be served earlier. */
  changed(): void {
    this.#forecast = undefined;
    if (this.#state === "waiting") this.#state = "ready";
    this.serve();
  }

  /** What counts for the key has become more: calls with a deadline may come too late. */
  delayed(nowUs: number): void {
    this.#forecast = undefined;
    if (this.#deadlineUs !== NEVER) this.changed();
    if (this.#deadlineUs !== NEVER && this.head !== undefined) this.forecast(this.head.call.server, nowUs);
  }

  answered(waiter: Waiter<Space>, decision: Decision): void {
    this.#state = "ready";
    if (waiter.line !== this) {
      if (decision.allowed) waiter.call.server.giveBack(waiter.call, decision);
    } else if (decision.allowed || decision.retryAfterMs === NEVER) {
      this.#remove(waiter);
      waiter.settle(decision);
    } else {
      try {
        this.#hold(waiter, decision, readUs(this.#lines.clock));
      } catch (error) {
        this.failed(waiter, error);
      }
    }
    this.serve();
  }

  failed(waiter: Waiter<Space>, error: unknown): void {
    this.#state = "ready";
    if (waiter.line === this) {
      this.leave(waiter);
      waiter.fail(error);
    }
    this.serve();
  }

  /** Ends all waits. */
  endAll(): void {
    for (let waiter = this.head; waiter !== undefined; waiter = this.head) {
      this.leave(waiter);
      waiter.fail(this.#lines.closedError());
    }
    this.serve();
  }

  forecast(server: Server<Space>, nowUs: number): Forecast<Space> {
    if (this.#forecast !== undefined) return this.#forecast;
    const forecast = server.createForecast(this, nowUs);
    if (this.head === undefined) return forecast;
    const late: Waiter<Space>[] = [];
    const dueUs = this.#state === "waiting" ? this.#dueUs : nowUs;
    for (let waiter: Waiter<Space> | undefined = this.head; waiter !== undefined; waiter = waiter.next) {
      waiter.foreseenUs = waiter.call.server.foresee(forecast, waiter, waiter === this.head ? dueUs : 0);
      const isAsked = waiter === this.head && this.#state === "asking";
      if (waiter.foreseenUs > waiter.deadlineUs && !(isAsked || waiter.call.takesPlaces)) late.push(waiter);
    }
    // The forecast has not counted them.
    for (const waiter of late) this.#remove(waiter);
    this.#forecast = forecast;
    for (const waiter of late) this.#settleBehind(waiter, "others-waiting");
    if (late.length > 0) this.serve();
    return forecast;
  }

  get lateUs(): number {
    if (this.head === undefined || this.#state !== "waiting") return 0;
    return Math.max(0, this.#dueUs - this.head.foreseenUs);
  }

  #ask(head: Waiter<Space>): void {
    const { server } = head.call;
    if (server.lines.length > 1) {
      const older = this.#olderElsewhere(head);
      if (older !== undefined) {
        this.leave(head);
        older.join(head);
        return;
      }
    }
    this.#state = "asking";
    server.ask(head, this);
  }

  /** The line of another key of a combination's call, if an older call waits there. */
  #olderElsewhere({ call: { server, choice }, order }: Waiter<Space>): KeyLine<Space> | undefined {
    for (const [i, lines] of server.lines.entries()) {
      const line = lines.find(choice.keys[i]!);
      const head = line === this ? undefined : line?.head;
      if (head !== undefined && head.order < order) return line;
    }
    return undefined;
  }

  /** The head waits on, in the line of the key that denies it. */
  #hold(waiter: Waiter<Space>, decision: Decision, nowUs: number): void {
    // A place may be freed at any moment, long before it expires. Units come back when they are told to.
    const isForPlace = decision.limit !== undefined && countsPlaces(decision.limit);
    const toldUs = Math.round(decision.retryAfterMs * 1000);
    const waitUs = isForPlace ? Math.min(toldUs, nextLookUs(this.#denials)) : toldUs;
    const isLate = isForPlace ? nowUs >= waiter.deadlineUs : nowUs + waitUs > waiter.deadlineUs;
    const reason = !waiter.isInLine && this.#lines.isOverfull(this) ? "queue-full" : "others-waiting";
    if (isLate || reason === "queue-full") {
      this.leave(waiter);
      if (this.length > 0 || reason === "queue-full") this.#settleBehind(waiter, reason);
      else waiter.settle(decision);
      return;
    }
    if (this.#lines.isClosed) {
      this.leave(waiter);
      waiter.fail(this.#lines.closedError());
      return;
    }
    waiter.isInLine = true;
    this.#denials += 1;
    const dueUs = nowUs + waitUs + waiter.call.server.jitterUs(waitUs, this.#denials);
    const line = bindingLine(waiter.call, decision) ?? this;
    if (line !== this) {
      this.leave(waiter);
      line.join(waiter);
    }
    if (line.head === waiter) line.setDue(Math.min(dueUs, waiter.deadlineUs));
  }

  /** Denies the calls whose deadline has passed. */
  #expire(nowUs: number): void {
    const late: Waiter<Space>[] = [];
    this.#deadlineUs = NEVER;
    for (let waiter = this.head; waiter !== undefined; waiter = waiter.next) {
      const isAsked = waiter === this.head && this.#state === "asking";
      if (waiter.deadlineUs <= nowUs && !isAsked) late.push(waiter);
      else if (waiter.deadlineUs > nowUs) this.#deadlineUs = Math.min(this.#deadlineUs, waiter.deadlineUs);
    }
    for (const waiter of late) {
      if (waiter.line !== this) continue;
      this.leave(waiter);
      this.#settleBehind(waiter, "others-waiting");
      // A call that was late only because of this one is served.
      this.serve();
    }
  }

  #settleBehind(waiter: Waiter<Space>, reason: LineReason): void {
    waiter.settle(waiter.call.server.denyBehind(this, waiter.call, reason));
  }

  /** A call has come to the head. */
  #begin(): void {
    this.#denials = 0;
    this.#dueUs = NEVER;
    if (this.#state === "waiting") this.#state = "ready";
  }

  #remove(waiter: Waiter<Space>): void {
    const wasHead = waiter === this.head;
    waiter.line = undefined;
    this.#waiters.remove(waiter);
    this.#lines.count(-1);
    if (wasHead) this.#begin();
  }

  #arm(): void {
    this.#timer.set(Math.min(this.#state === "waiting" ? this.#dueUs : NEVER, this.#deadlineUs));
  }

  /** Now, or the end of time if the clock fails: then the head is asked for, and finds the error. */
  #nowUs(): number {
    try {
      return readUs(this.#lines.clock);
    } catch {
      return NEVER;
    }
  }
}

/** The line of the key that binds a denial, if the call concerns several limiters. */
function bindingLine<Space extends PlannedSpace>(
  { server: { lines }, choice }: WaitingCall<Space>,
  { limiter, limit }: Decision,
): KeyLine<Space> | undefined {
  if (lines.length === 1) return undefined;
  const at = lines.findIndex(
    (each, i) => each.limiter === limiter && (limit === undefined || choice.chosen[i]!.list().limits.includes(limit)),
  );
  return at === -1 ? undefined : lines[at]!.open(choice.keys[at]!);
}
