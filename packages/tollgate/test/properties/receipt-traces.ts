import fc from "fast-check";
import { concurrency, type Limit } from "tollgate";
import { createPlan, createTimeCell, PlanVerbs, Report, type Taken, type Verb } from "tollgate/store";
import { rulesOf } from "../reference/model.ts";
import { Places } from "../reference/places.ts";
import type { LimitSpec } from "./limit-spec.ts";
import { libraryLimit, modelLimit } from "./limit-spec.ts";

const START_US = 1_790_000_000_123_457;

export interface ReceiptStep {
  readonly verb: "take" | "charge" | "refund" | "give back" | "extend";
  readonly cost: number;
  /** Which of the receipts it is about. */
  readonly which: number;
  /** Negative if the clock goes back. */
  readonly waitUs: number;
}

/** What a take records: when its units leave, and how many of them are left to give back. */
interface Receipt {
  untilUs: number;
  units: number;
}

/** The figures of a limit, as a kernel and as the reference tell them. */
type Figures = readonly [used: bigint, waitUs: bigint | "never", resetUs: bigint];

/** The reference's state of one key. */
interface State {
  conforms(nowUs: bigint, cost: bigint): boolean;
  take(nowUs: bigint, cost: bigint): State;
  refund?(nowUs: bigint, cost: bigint): State;
  giveBack(nowUs: bigint, units: bigint, untilUs: bigint): State;
  used(nowUs: bigint): bigint;
  waitUs(nowUs: bigint, cost: bigint): bigint | "never";
  resetUs(nowUs: bigint): bigint;
}

/** One key under one limit, in the kernel's cells. */
export class KernelKey {
  readonly nowUs = createTimeCell(START_US);
  /** The figures of the last call. */
  readonly report = new Report();
  readonly #verbs: PlanVerbs;
  #cells: Float64Array | undefined = undefined;

  constructor(limit: Limit) {
    this.#verbs = new PlanVerbs(createPlan("test", "test", [limit]));
  }

  apply(verb: Verb, cost: number, taken?: Pick<Taken, "untilUs">): boolean {
    const receipt: Taken | undefined = taken && {
      ...taken,
      where: "own",
      degraded: undefined,
      resets: 0,
    };
    const admitted = this.#verbs.apply(verb, this.#cells, [cost], this.nowUs, this.report, 0, receipt);
    this.#cells = this.#verbs.changed ?? this.#cells;
    return admitted;
  }

  /** When the units of the last call leave if nothing else is taken. */
  get untilUs(): number {
    return this.report.untilUs[0] ?? this.nowUs[0]! + this.report.resetUs[0]!;
  }

  figures(cost: number): Figures {
    this.apply("explain", cost);
    const { used, waitUs, resetUs } = this.report;
    const wait = waitUs[0] === Number.POSITIVE_INFINITY ? "never" : BigInt(waitUs[0]!);
    return [BigInt(used[0]!), wait, BigInt(resetUs[0]!)];
  }
}

/** Random calls and corrections of one key, in the cells of a kernel and in the reference. */
export class ReceiptTrace {
  readonly key: KernelKey;
  #state: State;
  readonly #receipts: Receipt[] = [];

  constructor(key: KernelKey, state: State) {
    this.key = key;
    this.#state = state;
  }

  /** @throws Error when the two differ. */
  play(steps: readonly ReceiptStep[]): void {
    for (const [i, step] of steps.entries()) {
      this.key.nowUs[0]! += step.waitUs;
      this.#play(step);
      const now = BigInt(this.key.nowUs[0]!);
      const cost = BigInt(step.cost);
      const expected = [this.#state.used(now), this.#state.waitUs(now, cost), this.#state.resetUs(now)];
      const got = this.key.figures(step.cost);
      if (got.join() !== expected.join()) throw new Error(`step ${i}: expected ${expected.join()}, got ${got.join()}`);
    }
  }

  #play({ verb, cost, which }: ReceiptStep): void {
    const now = BigInt(this.key.nowUs[0]!);
    const receipt = this.#receipts[which % Math.max(1, this.#receipts.length)];
    const units = Math.min(cost, receipt?.units ?? 0);
    switch (verb) {
      case "take":
      case "charge":
        this.#take(verb, cost, now);
        return;
      case "refund":
        if (this.#state.refund === undefined) return;
        this.key.apply("refund", cost);
        this.#state = this.#state.refund(now, BigInt(cost));
        return;
      case "give back":
        if (receipt === undefined || units === 0) return;
        receipt.units -= units;
        this.key.apply("refund", units, { untilUs: [receipt.untilUs] });
        this.#state = this.#state.giveBack(now, BigInt(units), BigInt(receipt.untilUs));
        return;
      case "extend":
        if (this.#state instanceof Places && receipt !== undefined && units > 0) this.#extend(receipt, now);
        return;
      default:
        throw new Error(verb satisfies never);
    }
  }

  #take(verb: "take" | "charge", cost: number, now: bigint): void {
    const conforms = this.#state.conforms(now, BigInt(cost));
    same("admitted", this.key.apply(verb, cost), conforms);
    if (!conforms && verb === "take") return;
    this.#state = this.#state.take(now, BigInt(cost));
    const { untilUs } = this.key;
    if (this.#state instanceof Places && cost > 0) same("until", BigInt(untilUs), this.#state.takenUntilUs(now));
    this.#receipts.push({ untilUs, units: cost });
  }

  /** Renews all places of a receipt. */
  #extend(receipt: Receipt, now: bigint): void {
    const extended = (this.#state as Places).extend(now, BigInt(receipt.units), BigInt(receipt.untilUs));
    same("renewed", this.key.apply("renew", receipt.units, { untilUs: [receipt.untilUs] }), extended !== undefined);
    if (extended === undefined) return;
    this.#state = extended;
    receipt.untilUs = this.key.untilUs;
  }
}

function same(what: string, got: unknown, expected: unknown): void {
  if (got !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(got)}`);
}

/** A trace of a bucket or a window. A bucket that starts empty records its first touch, which is not tested here. */
export function traceOf(spec: LimitSpec, keyOf = (limit: Limit) => new KernelKey(limit)): ReceiptTrace {
  const full: LimitSpec = spec.kind === "token-bucket" ? { ...spec, initial: "full", idleTtlUs: undefined } : spec;
  const limit = libraryLimit({ ...full, mode: "enforce" }, "limit");
  // A new bucket was full at all times: the clock may go back before its first call.
  return new ReceiptTrace(keyOf(limit), rulesOf(modelLimit(limit), {}).fresh(-(10n ** 20n)));
}

export function traceOfPlaces(
  max: number,
  ttlUs: number,
  keyOf = (limit: Limit) => new KernelKey(limit),
): ReceiptTrace {
  const limit = concurrency({ max, ttl: ttlUs / 1_000 });
  return new ReceiptTrace(keyOf(limit), new Places({ max: BigInt(max), ttlUs: BigInt(ttlUs) }));
}

/** Steps of a clock that moves by parts of a span, and now and then back. */
export function receiptSteps(spanUs: number): fc.Arbitrary<ReceiptStep[]> {
  const part = (share: number) => Math.ceil(spanUs * share);
  return fc.array(
    fc.record({
      verb: fc.constantFrom<ReceiptStep["verb"][]>(
        ...(["take", "take", "take", "charge", "refund", "give back", "give back", "extend"] as const),
      ),
      cost: fc.constantFrom(0, 1, 1, 2, 3, 7),
      which: fc.nat(20),
      waitUs: fc.constantFrom(0, 0, 0, 1, 1, 3, part(0.05), part(0.3), part(1), -1, -part(0.1), -part(1.2)),
    }),
    { minLength: 1, maxLength: 80, size: "max" },
  );
}
