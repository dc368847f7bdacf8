import { transact } from "../../../../../src/algorithms/transact.ts";
import { createTimeCell } from "../../../../../src/core/time-cell.ts";
import type { Report } from "../../../../../src/store/index.ts";
import type { TransactionOutcome } from "../../../../../src/stores/redis/script/decode-reply.ts";
import { originOf } from "../../../../../src/stores/redis/script/encode-call.ts";
import type { ScriptKey, ScriptVerb } from "../../../../../src/stores/redis/script/transaction.ts";
import { capacityOf, type LimitSpec, libraryLimit } from "../../../../properties/limit-spec.ts";
import { LAST_US } from "../../../../properties/times.ts";
import { Random } from "./random.ts";
import type { TimedTransaction } from "./script-call.ts";
import type { Trace, TraceStep } from "./trace.ts";
import { TraceClock } from "./trace-clock.ts";
import { type ClockKind, FLAVOURS, type Flavour } from "./trace-flavour.ts";
import { type TwinPlan, TwinWorld } from "./twin-world.ts";

const MOST_TRANSACTIONS = 4;
const MOST_IN_BATCH = 9;
const TODAY_US = 1_784_000_000_000_000;
const STARTS_US = [TODAY_US, TODAY_US, 0, 2 ** 32 * 1_000, LAST_US] as const;

/** A plan with the specifications of its limits. */
interface SpecifiedPlan {
  readonly plan: TwinPlan;
  readonly specs: readonly LimitSpec[];
}

/** One key under one plan. */
interface Place extends SpecifiedPlan {
  readonly key: string;
}

/** Plays random calls to the memory store and records its outcomes. */
export class TraceMaker {
  readonly #seed: number;
  readonly #random: Random;
  readonly #flavour: Flavour;
  readonly #clockKind: ClockKind;
  readonly #clock: TraceClock;
  readonly #world: TwinWorld;
  readonly #plans: readonly SpecifiedPlan[];
  readonly #names = new Set<string>();
  /** Whether all plans count separately in the same rows. The twin has none, so it cannot drop them alike. */
  readonly #sharesRows: boolean;
  #last: Report | undefined;

  constructor(seed: number) {
    const random = new Random(seed);
    this.#seed = seed;
    this.#random = random;
    this.#flavour = FLAVOURS[random.weighted({ any: 9, batches: 4, rings: 1, crowds: 2, huge: 0.4, round: 0.6 })];
    this.#clockKind = random.weighted(this.#flavour.clocks);
    const isRound = this.#clockKind === "round";
    const startUs = isRound ? TODAY_US : random.of(STARTS_US) + (random.chance(0.5) ? random.magnitude(30) : 0);
    this.#world = new TwinWorld(originOf(startUs));
    this.#sharesRows = this.#clockKind === "forward" && random.chance(0.5);
    this.#plans = this.#makePlans();
    const specs = this.#plans.flatMap((plan) => plan.specs);
    const { earliestUs, latestUs } = this.#world;
    this.#clock = new TraceClock(random, this.#clockKind, specs, startUs, [earliestUs, latestUs]);
  }

  make(): Trace {
    const count = this.#random.between(...this.#flavour.steps);
    const steps = Array.from({ length: count }, () => this.#step());
    return { seed: this.#seed, steps, names: [...this.#names] };
  }

  #makePlans(): SpecifiedPlan[] {
    const random = this.#random;
    const { limits, limitsOfPlan, mostPlans } = this.#flavour;
    // Lists of one row have limits in common.
    const pool = this.#sharesRows ? [random.of(limits), random.of(limits), random.of(limits)] : limits;
    const plans = Array.from({ length: random.between(1, mostPlans) }, (_, place) => {
      const specs = Array.from({ length: random.of(limitsOfPlan) }, () => random.of(pool));
      return { specs, plan: this.#planOf(place, specs, specs) };
    });
    const [first] = plans;
    // The same cells, with other orders and modes of the limits.
    if (first !== undefined && mostPlans > 1 && random.chance(0.3)) {
      const named = first.specs.toReversed();
      const specs = named.map((spec) => ({ ...spec, mode: random.of(["enforce", "enforce", "shadow"] as const) }));
      plans.push({ specs, plan: this.#planOf(0, specs, named) });
    }
    return plans;
  }

  /** A limit keeps its name with its numbers, in every order. */
  #planOf(place: number, specs: readonly LimitSpec[], named: readonly LimitSpec[]): TwinPlan {
    const limits = specs.map((spec, i) => {
      const alike = named.slice(0, i).filter((other) => other === named[i]).length;
      return libraryLimit(spec, `limit-${this.#flavour.limits.indexOf(named[i]!)}-${alike}`);
    });
    const name = `trace-${this.#seed}`;
    return this.#sharesRows ? this.#world.planInRow(name, limits) : this.#world.plan(`${name}-${place}`, limits);
  }

  #step(): TraceStep {
    this.#clock.move(this.#last);
    return this.#random.chance(this.#flavour.batches) ? this.#batchStep() : this.#anyStep();
  }

  #anyStep(): TraceStep {
    const transactions: TimedTransaction[] = [];
    const expected: TransactionOutcome[] = [];
    const touched = new Map<string, Place>();
    const count = this.#random.chance(0.6) ? 1 : this.#random.between(2, MOST_TRANSACTIONS);
    for (let i = 0; i < count; i += 1) {
      const verb = this.#verb();
      const places = this.#places(verb);
      const transaction = this.#transaction(verb, places);
      transactions.push(transaction);
      expected.push(this.#expected(transaction, places));
      const changes = verb === "take" || verb === "charge" || verb === "refund";
      if (changes) for (const place of places) touched.set(nameOf(place), place);
    }
    if (this.#clockKind !== "forward") {
      for (const place of touched.values()) {
        transactions.push(dropOf(place, this.#clock.nowUs));
        expected.push(this.#dropped(place));
      }
    }
    return { transactions, expected };
  }

  #verb(): ScriptVerb {
    const verb = this.#random.weighted(this.#flavour.verbs);
    // Memory may have more idle keys, unless both stores drop them at the same times.
    return verb === "drop" && this.#clockKind === "forward" ? "take" : verb;
  }

  /** Takes only: keys that were taken from are in use, and others are not written, so nothing is dropped. */
  #batchStep(): TraceStep {
    const random = this.#random;
    const transactions: TimedTransaction[] = [];
    const expected: TransactionOutcome[] = [];
    const enforcing = this.#plans.filter(({ plan }) => plan.plan.enforces.every(Boolean));
    const count = random.chance(0.3) ? 1 : random.between(2, MOST_IN_BATCH);
    let before: TimedTransaction | undefined;
    for (let i = 0; i < count; i += 1) {
      const place = { ...random.of(enforcing), key: random.of(this.#flavour.keys) };
      const own = this.#transaction("take", [place]);
      const isAlike = before?.keys[0]?.costs.length === place.specs.length && random.chance(0.6);
      const costs = isAlike ? before?.keys[0]?.costs : undefined;
      before =
        costs === undefined
          ? own
          : { ...own, ...before, nowUs: own.nowUs, keys: own.keys.map((key) => ({ ...key, costs })) };
      transactions.push(before);
      expected.push(this.#expected(before, [place]));
    }
    return { transactions, expected };
  }

  #places(verb: ScriptVerb): Place[] {
    const random = this.#random;
    const isSeveral = verb !== "drop" && random.chance(this.#flavour.together);
    const count = isSeveral ? random.between(2, 3) : 1;
    return Array.from({ length: count }, () => ({ ...random.of(this.#plans), key: random.of(this.#flavour.keys) }));
  }

  #transaction(verb: ScriptVerb, places: readonly Place[]): TimedTransaction {
    const random = this.#random;
    const keys = places.map((place): ScriptKey => {
      this.#names.add(nameOf(place));
      return { name: nameOf(place), plan: place.plan.encoded, costs: this.#costs(place) };
    });
    const once = verb === "drop" || random.chance(0.8);
    const detail = random.chance(0.6) ? "each" : "first-denied";
    return { verb, detail, times: once ? 1 : this.#times(), nowUs: this.#clock.nowUs, keys };
  }

  #times(): number {
    const random = this.#random;
    return random.between(2, random.of([3, 5, 5, 20, 80]));
  }

  #expected({ verb, times, detail, keys }: TimedTransaction, places: readonly Place[]): TransactionOutcome {
    if (verb === "drop" || verb === "forget") return this.#dropped(places[0]!);
    const calls = () =>
      places.map((place, i) => ({
        space: this.#world.space(place.plan, place.key),
        key: place.key,
        costs: keys[i]?.costs ?? [],
      }));
    if (verb === "block" || verb === "lease") throw new Error("expected a verb on counts");
    const reports = Array.from({ length: times }, () => transact(verb, calls(), createTimeCell(this.#clock.nowUs)));
    const admitted = reports.filter((report) => report.admitted).length;
    if (verb === "refund") return { admitted: times, reports: [] };
    this.#last = reports.at(-1);
    const firstDenied = reports.findIndex((report) => !report.admitted);
    if (detail === "first-denied") return { admitted, reports: firstDenied < 0 ? [] : [reports[firstDenied]!] };
    return { admitted, reports: told(verb, reports, firstDenied) };
  }

  #dropped({ plan, key }: Place): TransactionOutcome {
    return { admitted: this.#world.sweep(plan, key, this.#clock.nowUs) ? 1 : 0, reports: [] };
  }

  #costs({ specs }: Place): number[] {
    const one = this.#cost(specs, 0);
    const areAlike = this.#random.chance(0.7);
    return specs.map((_, i) => (areAlike ? one : this.#cost(specs, i)));
  }

  #cost(specs: readonly LimitSpec[], i: number): number {
    const random = this.#random;
    const capacity = capacityOf(specs[i]!);
    switch (random.weighted(this.#flavour.costs)) {
      case "one":
        return 1;
      case "some":
        return random.between(1, 8);
      case "few":
        return random.between(0, 3);
      case "left":
        return Math.max(0, capacity - (this.#last?.used[i] ?? 0) + random.between(-1, 1));
      case "capacity":
        return Math.max(0, capacity + random.between(-1, 1));
      case "part":
        return Math.ceil((capacity * random.between(1, 20)) / 8);
      case "many":
        return random.magnitude(53);
      default:
        return Number.MAX_SAFE_INTEGER - random.between(0, 1);
    }
  }
}

function nameOf({ plan, key }: Place): string {
  return `${plan.cells}\n${key}`;
}

/** The reports of calls under `detail: "each"`, without repetitions of the last one. */
function told(verb: ScriptVerb, reports: readonly Report[], firstDenied: number): readonly Report[] {
  if (verb === "charge") return reports;
  if (verb !== "take") return reports.slice(0, 1);
  return firstDenied < 0 ? reports : reports.slice(0, firstDenied + 1);
}

function dropOf(place: Place, nowUs: number): TimedTransaction {
  const { encoded } = place.plan;
  return { verb: "drop", detail: "each", times: 1, nowUs, keys: [{ name: nameOf(place), plan: encoded, costs: [] }] };
}
