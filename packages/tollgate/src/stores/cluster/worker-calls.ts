import { Blocking } from "../../algorithms/blocking.ts";
import { isInForce, type SyncBlocks } from "../../core/blocks.ts";
import type { Clock } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import { blocksKeys, type Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace, SyncStore } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { answerTake, decodePlan, encodeLimit, encodeReport } from "./encode.ts";
import { type Failure, givesBack, type Move, type Operation, type Result } from "./messages.ts";

type Of<What extends Operation[0]> = Extract<Operation, readonly [What, ...unknown[]]>;

/** A space that a worker has opened in the primary's store, and the context of that space. */
class WorkerSpace implements LimiterContext {
  readonly plan: Plan;
  readonly blocks: SyncBlocks | undefined;
  readonly blocking: Blocking;
  readonly choosesLimits?: true;
  readonly onMove: NonNullable<LimiterContext["onMove"]>;
  /** That of the primary, unless the worker's limiter has a clock of its own: then the time that its last call told. */
  readonly clock: Clock;
  readonly #now: TimeCell = createTimeCell();
  #toldUs: number | null = null;
  readonly #blocksKeys: boolean;
  readonly #store: SyncStore;
  #space: SyncSpace | undefined;

  constructor(text: string, store: SyncStore, clock: Clock, onMove: WorkerSpace["onMove"]) {
    const { plan, choosesLimits } = decodePlan(text);
    this.plan = plan;
    if (choosesLimits) this.choosesLimits = true;
    this.onMove = onMove;
    this.clock = { now: () => (this.#toldUs === null ? clock.now() : this.#toldUs / 1_000) };
    this.#store = store;
    this.#blocksKeys = blocksKeys(plan);
    this.blocks = store.blocks?.(plan.scope, plan.limiter, this);
    this.blocking = new Blocking([this.blocks]);
  }

  /** A plan without limits is opened for its blocks alone. */
  get space(): SyncSpace {
    this.#space ??= this.#store.open(this.plan, this);
    return this.#space;
  }

  /** The time of a call that told it, or that of its request. */
  timeOf(toldUs: number | null, requestUs: number): TimeCell {
    this.#toldUs = toldUs;
    this.#now[0] = toldUs ?? requestUs;
    return this.#now;
  }

  take(key: string, costs: readonly number[], now: TimeCell, report: Report): void {
    const { space } = this;
    if (this.#blocksKeys || this.blocking.mayBlock) {
      const request = { keys: [key], calls: [{ space, key, costs }], members: [0] };
      this.blocking.transact("take", request, now, undefined, report);
    } else {
      report.admitted = space.apply("take", key, costs, now, report, 0);
      space.maintain();
    }
  }

  /** Begins a block, or ends it. Says whether one was ended. */
  setBlock([, , , key, end, reason]: Of<"block">, now: TimeCell): number {
    if (this.blocks === undefined)
      throw storeError("block: expected a store that keeps blocks, got one without `blocks`");
    if (end === null) return this.blocking.unblock([key], now) ? 1 : 0;
    const untilUs = "untilUs" in end ? end.untilUs : now[0]! + end.forUs;
    if (this.blocking.block([key], untilUs, reason ?? undefined, now) === undefined) return 0;
    throw storeError(
      "block: expected capacity for another blocked key, got a full store; raise its maxKeys or maxBytes",
    );
  }

  release(): void {
    this.#space?.release();
  }
}

/** Carries out the calls of one store of one worker, in the store of the primary. */
export class WorkerCalls {
  readonly #store: SyncStore;
  readonly #clock: Clock;
  /** A plan is read by its first call, because errors are results of calls. */
  readonly #spaces = new Map<number, WorkerSpace | string>();
  readonly #report = new Report();
  /** The moment of the current request. */
  #nowUs = 0;
  /** The moves of the current request. */
  moves: Move[] = [];

  constructor(store: SyncStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  open(number: number, plan: string): void {
    if (!this.#spaces.has(number)) this.#spaces.set(number, plan);
  }

  knows(number: number): boolean {
    return this.#spaces.has(number);
  }

  /** Answers the words of a request. Never throws: errors are results. */
  run(words: readonly unknown[], nowUs: number): unknown[] {
    this.#nowUs = nowUs;
    this.moves = [];
    const answers: unknown[] = [];
    for (let at = 0; at < words.length; ) {
      const word = words[at];
      try {
        if (typeof word === "number") at = this.#take(words, at, answers);
        else {
          at += 1;
          answers.push(this.#run(word as Operation));
        }
      } catch (error) {
        answers.push(failureOf(error));
      }
    }
    return answers;
  }

  /** Carries out what gives back, of a request that came too late: nothing else gives back what the store took. */
  giveBack(words: readonly unknown[], nowUs: number): void {
    const given = words.filter((word) => Array.isArray(word) && givesBack(word as unknown as Operation));
    this.run(given, nowUs);
  }

  close(): void {
    for (const number of this.#spaces.keys()) this.#release(number);
  }

  /** Takes from one key. Returns where the next call begins. */
  #take(words: readonly unknown[], at: number, answers: unknown[]): number {
    const owner = this.#spaceOf(words[at] as number);
    const count = owner.plan.limits.length;
    const costs = words.slice(at + 2, at + 2 + count) as number[];
    this.#report.clear();
    try {
      owner.take(words[at + 1] as string, costs, owner.timeOf(null, this.#nowUs), this.#report);
      answerTake(answers, this.#report, count);
    } catch (error) {
      answers.push(failureOf(error));
    }
    return at + 2 + count;
  }

  #run(operation: Operation): Result {
    const [what, number, toldUs] = operation;
    if (what === "release") return this.#release(number);
    const owner = this.#spaceOf(number);
    const now = owner.timeOf(toldUs, this.#nowUs);
    switch (what) {
      case "apply":
        return this.#apply(operation, now);
      case "block":
        return owner.setBlock(operation, now);
      case "find": {
        const block = owner.blocks?.find(operation[3]);
        return isInForce(block, now[0]!) ? [block.untilUs - now[0]!, block.reason ?? null] : null;
      }
      case "drop":
        owner.space.drop(operation[3]);
        return 0;
      case "clear":
        owner.space.clear();
        return 0;
      case "size":
        return owner.space.size;
      case "sweep":
        return owner.space.sweep(now);
      default:
        return what satisfies never;
    }
  }

  #apply([, , toldUs, verb, words]: Of<"apply">, now: TimeCell): Result {
    const calls = words.map(([number, key, costs]) => {
      const owner = this.#spaceOf(number);
      owner.timeOf(toldUs, this.#nowUs);
      return { owner, space: owner.space, key, costs };
    });
    // The key in each limiter, once: several lists of a limiter may count it.
    const owners = calls.filter((call, i) => calls.findIndex((other) => isSameKey(call, other)) === i);
    const members = calls.map((call) => owners.findIndex((other) => isSameKey(call, other)));
    const taken = words.flatMap(([, , , each]) => {
      if (each === undefined || each === null) return [];
      const [where, resets, untilUs] = each;
      return [{ where, degraded: undefined, resets: resets ?? Number.POSITIVE_INFINITY, untilUs }];
    });
    const report = new Report();
    new Blocking(owners.map(({ owner }) => owner.blocks)).transact(
      verb,
      { keys: owners.map(({ key }) => key), calls, members },
      now,
      taken.length > 0 ? taken : undefined,
      report,
    );
    return encodeReport(report);
  }

  #spaceOf(number: number): WorkerSpace {
    const known = this.#spaces.get(number);
    if (typeof known === "object") return known;
    if (known === undefined) throw new Error(`expected a space that is open, got ${number}`);
    const opened = new WorkerSpace(known, this.#store, this.#clock, (key, from, to) => {
      this.moves.push([number, key, from.map(encodeLimit), to.map(encodeLimit)]);
    });
    this.#spaces.set(number, opened);
    return opened;
  }

  #release(number: number): number {
    const space = this.#spaces.get(number);
    if (typeof space === "object") space.release();
    this.#spaces.delete(number);
    return 0;
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof TollgateError) return { error: [error.code, error.message] };
  return { error: ["ERR_STORE", `clusterStore: the primary's store failed: ${String(error)}`] };
}

interface OwnedKey {
  readonly owner: WorkerSpace;
  readonly key: string;
}

function isSameKey(one: OwnedKey, other: OwnedKey): boolean {
  return one.key === other.key && one.owner.plan.scope === other.owner.plan.scope;
}

function storeError(message: string): TollgateError {
  return new TollgateError("ERR_STORE", message);
}
