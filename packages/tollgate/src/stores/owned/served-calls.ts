import { Blocking } from "../../algorithms/blocking.ts";
import { isInForce, type SyncBlocks } from "../../core/blocks.ts";
import type { Clock } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace, SyncStore } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { VERBS } from "../../core/verbs.ts";
import { decodeCalls, decodePlan, decodeVerb, encodeLimit, encodeReport } from "./codec.ts";
import {
  type Failure,
  type Move,
  type Operation,
  type OwnerAnswer,
  type OwnerRequest,
  type ReportWords,
  type Result,
  VERSION,
  type VerbWords,
} from "./messages.ts";

type Of<What extends Operation[0]> = Extract<Operation, readonly [What, ...unknown[]]>;

/** A space that an asker has opened in the store, and the context of that space. */
class ServedSpace implements LimiterContext {
  readonly plan: Plan;
  readonly blocks: SyncBlocks | undefined;
  readonly blocking: Blocking;
  readonly choosesLimits?: true;
  readonly onMove: NonNullable<LimiterContext["onMove"]>;
  /** That of the owner, unless the asker's limiter has a clock of its own: then the time that its last call told. */
  readonly clock: Clock;
  readonly #now: TimeCell = createTimeCell();
  #toldUs: number | null = null;
  readonly #store: SyncStore;
  #space: SyncSpace | undefined;

  constructor(text: string, store: SyncStore, clock: Clock, onMove: ServedSpace["onMove"]) {
    const { plan, choosesLimits } = decodePlan(text);
    this.plan = plan;
    if (choosesLimits) this.choosesLimits = true;
    this.onMove = onMove;
    this.clock = { now: () => (this.#toldUs === null ? clock.now() : this.#toldUs / 1_000) };
    this.#store = store;
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

/** The spaces of one asker. */
class Client {
  /** A plan is read by its first call, because errors are results of calls. */
  readonly spaces = new Map<number, ServedSpace | string>();
  moves: Move[] = [];

  open(plans: OwnerRequest["plans"]): void {
    for (const [number, plan] of plans) if (!this.spaces.has(number)) this.spaces.set(number, plan);
  }

  release(): void {
    for (const space of this.spaces.values()) if (typeof space === "object") space.release();
    this.spaces.clear();
  }
}

interface WrittenAnswer extends OwnerAnswer {
  readonly results: (ReportWords | Result | Failure)[];
  readonly moves: Move[];
}

/** How many askers an owner remembers the plans of, and how many plans of each. They come again with each request. */
const MOST_CLIENTS = 256;
const MOST_PLANS = 1_024;

/** Carries out the calls of all askers, in one store of this process. */
export class ServedCalls {
  readonly #store: SyncStore;
  readonly #clock: Clock;
  readonly #owner: number;
  /** The one that has not asked for longest is the first. */
  readonly #clients = new Map<string, Client>();
  readonly #report = new Report();

  /** `owner` is its number in answers. */
  constructor(store: SyncStore, clock: Clock, owner: number) {
    this.#store = store;
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * Answers a request. Never throws: errors are results. Of one that came too late only what gives back is carried out,
   * because nothing else gives back what the store took.
   */
  answer({ version, client: name, plans, calls }: OwnerRequest, nowUs: number, isLate = false): OwnerAnswer {
    const answer: WrittenAnswer = {
      outcome: isLate ? "late" : "done",
      owner: this.#owner,
      nowUs,
      results: [],
      moves: [],
    };
    if (version !== VERSION) return { ...answer, outcome: "other-version" };
    const client = this.#clientOf(name, plans);
    client.moves = answer.moves;
    for (const call of calls) {
      if (isLate && !(isVerb(call) && VERBS[decodeVerb(call[0])].refunds)) continue;
      try {
        answer.results.push(isVerb(call) ? this.#apply(client, call, nowUs) : this.#administer(client, call, nowUs));
      } catch (error) {
        answer.results.push(failureOf(error));
      }
    }
    return isLate ? { ...answer, results: [] } : answer;
  }

  close(): void {
    for (const client of this.#clients.values()) client.release();
    this.#clients.clear();
  }

  #clientOf(name: string, plans: OwnerRequest["plans"]): Client {
    const client = this.#clients.get(name) ?? new Client();
    this.#clients.delete(name);
    this.#clients.set(name, client);
    if (client.spaces.size + plans.length > MOST_PLANS) client.release();
    client.open(plans);
    const [[oldest, unused]] = this.#clients as unknown as [[string, Client]];
    if (this.#clients.size > MOST_CLIENTS && this.#clients.delete(oldest)) unused.release();
    return client;
  }

  #apply(client: Client, words: VerbWords, requestUs: number): ReportWords {
    const [verb, toldUs] = words;
    const read = decodeCalls(words, (number) => this.#spaceOf(client, number));
    const calls = read.map(({ space: owner, key, costs }) => {
      owner.timeOf(toldUs, requestUs);
      return { owner, space: owner.space, key, costs };
    });
    const { owner } = calls[0]!;
    // The key in each limiter, once: several lists of a limiter may count it.
    const owners: ServedCall[] = [calls[0]!];
    const members = calls.map((call) => {
      const known = owners.findIndex((other) => isSameKey(call, other));
      return known < 0 ? owners.push(call) - 1 : known;
    });
    const request = { keys: owners.map(({ key }) => key), calls, members };
    const blocking = owners.length === 1 ? owner.blocking : new Blocking(owners.map((one) => one.owner.blocks));
    const taken = read[0]!.taken === undefined ? undefined : read.flatMap((call) => call.taken ?? []);
    this.#report.clear();
    const now = owner.timeOf(toldUs, requestUs);
    blocking.transact(decodeVerb(verb), request, now, taken, this.#report);
    let count = 0;
    for (const { costs } of calls) count += costs.length;
    return encodeReport(this.#report, count);
  }

  #administer(client: Client, operation: Operation, requestUs: number): Result {
    const [what, number, toldUs] = operation;
    const owner = this.#spaceOf(client, number);
    const now = owner.timeOf(toldUs, requestUs);
    switch (what) {
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

  #spaceOf(client: Client, number: number): ServedSpace {
    const known = client.spaces.get(number);
    if (typeof known === "object") return known;
    if (known === undefined) throw new Error(`expected the plan of space ${number}, got none`);
    const opened = new ServedSpace(known, this.#store, this.#clock, (key, from, to) => {
      client.moves.push([number, key, from.map(encodeLimit), to.map(encodeLimit)]);
    });
    client.spaces.set(number, opened);
    return opened;
  }
}

function isVerb(call: VerbWords | Operation): call is VerbWords {
  return typeof call[0] === "number";
}

function failureOf(error: unknown): Failure {
  if (error instanceof TollgateError) return { error: [error.code, error.message] };
  return { error: ["ERR_STORE", "the store failed"] };
}

interface ServedCall {
  readonly owner: ServedSpace;
  readonly key: string;
}

function isSameKey(one: ServedCall, other: ServedCall): boolean {
  return one.key === other.key && one.owner.plan.scope === other.owner.plan.scope;
}

function storeError(message: string): TollgateError {
  return new TollgateError("ERR_STORE", message);
}
