import { readUs } from "../../core/clock.ts";
import { type Sleeper, Timer } from "../../core/timer.ts";
import { Forecast } from "./forecast.ts";
import type { Answer, Forecaster, KeyLine, KeyLines, LineReason, Told, Waiter } from "./waiter.ts";
import { WaiterList } from "./waiter-list.ts";

const NEVER = Number.POSITIVE_INFINITY;

/**
 * The calls that wait for one key, first come, first served. Only the head is asked for, at the moment that its last
 * denial told, so a line has one timer however many wait.
 *
 * The head is ready to be asked for, being asked for, or it waits for its moment. Each change goes through `serve`.
 */
export class Line implements KeyLine, Sleeper {
  readonly key: string;
  told: Told | undefined = undefined;
  readonly #lines: KeyLines;
  readonly #timer: Timer;
  readonly #waiters = new WaiterList();
  #state: "ready" | "asking" | "waiting" = "ready";
  #isServing = false;
  /** When the head is due, if it waits. */
  #dueUs = NEVER;
  /** How many times in a row the head was denied. */
  #denials = 0;
  /** No call has a deadline before. */
  #deadlineUs = NEVER;
  #forecast: Forecast | undefined = undefined;
  /** Calls that have left the line because they would be served too late. They are denied when all have left. */
  #late: Waiter[] = [];

  constructor(lines: KeyLines, key: string) {
    this.key = key;
    this.#lines = lines;
    this.#timer = new Timer(lines.clock, this);
  }

  get length(): number {
    return this.#waiters.length;
  }

  get head(): Waiter | undefined {
    return this.#waiters.head;
  }

  get tail(): Waiter | undefined {
    return this.#waiters.tail;
  }

  get dueUs(): number | undefined {
    return this.#state === "asking" ? undefined : this.#dueUs;
  }

  /** Whether calls that do not wait come after those that do. A call that is asked for at once holds up no others. */
  get isHolding(): boolean {
    return this.length > (this.#state === "asking" && this.#denials === 0 ? 1 : 0);
  }

  join(waiter: Waiter): void {
    waiter.line = this;
    this.#waiters.add(waiter);
    this.#lines.count(1);
    if (waiter !== this.tail) this.#forecast = undefined;
    if (this.#forecast !== undefined)
      waiter.foreseenUs = this.#forecast.foresee(waiter.call.calls, 0, waiter.deadlineUs);
    if (waiter.deadlineUs < this.#deadlineUs) this.#deadlineUs = waiter.deadlineUs;
    if (this.head === waiter) this.#begin();
  }

  leave(waiter: Waiter): void {
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
    for (;;) {
      if (this.head !== undefined && this.#state === "ready") this.#ask(this.head);
      else if (this.#late.length > 0) this.#denyLate();
      else break;
    }
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
    if (this.#deadlineUs !== NEVER && this.head !== undefined) this.forecast(this.head.call.asker, nowUs);
  }

  answered(waiter: Waiter, answer: Answer): void {
    const { decision } = answer;
    this.#state = "ready";
    if (waiter.line !== this) {
      if (decision.allowed) waiter.call.giveBack(decision);
    } else if (decision.allowed || decision.retryAfterMs === NEVER) {
      this.#remove(waiter);
      waiter.settle(decision);
    } else {
      try {
        this.#hold(waiter, answer, readUs(this.#lines.clock));
      } catch (error) {
        this.failed(waiter, error);
      }
    }
    this.serve();
  }

  failed(waiter: Waiter, error: unknown): void {
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

  forecast(asker: Forecaster, nowUs: number): Forecast {
    if (this.#forecast !== undefined) return this.#forecast;
    const forecast = new Forecast(this.told?.atUs ?? nowUs, (call, now, report) => asker.look(call, now, report));
    if (this.told !== undefined) forecast.note(this.told.calls, this.told.report);
    if (this.head === undefined) return forecast;
    const late = this.#lateBy(forecast, nowUs);
    // The forecast has not counted them.
    for (const waiter of late) this.#removeLate(waiter);
    this.#forecast = forecast;
    if (late.length > 0) this.serve();
    return forecast;
  }

  /** Adds the calls to a forecast. Those that it serves after their deadline are left out, and returned. */
  #lateBy(forecast: Forecast, nowUs: number): Waiter[] {
    const late: Waiter[] = [];
    const dueUs = this.#state === "waiting" ? this.#dueUs : nowUs;
    for (let waiter = this.head; waiter !== undefined; waiter = waiter.next) {
      const notBeforeUs = waiter === this.head ? dueUs : 0;
      waiter.foreseenUs = forecast.foresee(waiter.call.calls, notBeforeUs, waiter.deadlineUs);
      const isAsked = waiter === this.head && this.#state === "asking";
      if (waiter.foreseenUs > waiter.deadlineUs && !(isAsked || waiter.call.takesPlaces)) late.push(waiter);
    }
    return late;
  }

  get lateUs(): number {
    if (this.head === undefined || this.#state !== "waiting") return 0;
    return Math.max(0, this.#dueUs - this.head.foreseenUs);
  }

  #ask(head: Waiter): void {
    const { call } = head;
    if (call.lines.length > 1) {
      const older = this.#olderElsewhere(head);
      if (older !== undefined) {
        this.leave(head);
        older.join(head);
        return;
      }
    }
    this.#state = "asking";
    call.ask(head, this);
  }

  /** The line of another key of a combination's call, if an older call waits there. */
  #olderElsewhere({ call: { lines, keys }, order }: Waiter): KeyLine | undefined {
    for (const [i, others] of lines.entries()) {
      const line = others.find(keys[i]!);
      const head = line === this ? undefined : line?.head;
      if (head !== undefined && head.order < order) return line;
    }
    return undefined;
  }

  /** The head waits on, in the line of the key that denies it. */
  #hold(waiter: Waiter, { decision, bindingKey }: Answer, nowUs: number): void {
    const waitUs = waiter.waitUs(decision, this.#denials, nowUs);
    const reason = !waiter.isInLine && this.#lines.isOverfull(this) ? "queue-full" : "others-waiting";
    if (waitUs === undefined || reason === "queue-full") {
      this.leave(waiter);
      if (reason === "queue-full") this.#settleBehind(waiter, reason);
      else if (this.length > 0) this.#late.push(waiter);
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
    const dueUs = nowUs + waitUs + waiter.call.asker.jitterUs(waitUs, this.#denials);
    const { lines, keys } = waiter.call;
    const line = lines.length === 1 ? this : lines[bindingKey]!.open(keys[bindingKey]!);
    if (line !== this) {
      this.leave(waiter);
      line.join(waiter);
    }
    if (line.head === waiter) line.setDue(Math.min(dueUs, waiter.deadlineUs));
  }

  /** Each would be behind the others, so the forecast is made once. */
  #denyLate(): void {
    const all = this.#late;
    this.#late = [];
    for (const waiter of all) this.#settleBehind(waiter, "others-waiting");
  }

  /** Denies the calls whose deadline has passed. */
  #expire(nowUs: number): void {
    const late: Waiter[] = [];
    this.#deadlineUs = NEVER;
    for (let waiter = this.head; waiter !== undefined; waiter = waiter.next) {
      const isAsked = waiter === this.head && this.#state === "asking";
      if (waiter.deadlineUs <= nowUs && !isAsked) late.push(waiter);
      else if (waiter.deadlineUs > nowUs) this.#deadlineUs = Math.min(this.#deadlineUs, waiter.deadlineUs);
    }
    for (const waiter of late) this.#removeLate(waiter);
    this.#forecast = undefined;
    // A call that was late only because of these is served.
    this.serve();
  }

  #settleBehind(waiter: Waiter, reason: LineReason): void {
    waiter.settle(waiter.call.denyBehind(this, reason));
  }

  /** A call has come to the head. */
  #begin(): void {
    this.#denials = 0;
    this.#dueUs = NEVER;
    if (this.#state === "waiting") this.#state = "ready";
  }

  #removeLate(waiter: Waiter): void {
    this.#remove(waiter);
    this.#late.push(waiter);
  }

  #remove(waiter: Waiter): void {
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
