import type { Limit } from "tollgate";
import type { History } from "./linearize.ts";
import type { Call } from "./model-call.ts";
import type { Race } from "./race.ts";
import type { Scenario } from "./scenario.ts";

interface Admission {
  readonly ms: number;
  readonly cost: number;
}

/**
 * Decides whether the admissions of a race keep within every limit. The calls of a race are not linearizable: until a
 * loser has revoked what it took, other calls are denied. If all calls are at one moment and no thread dies, a bucket
 * must count exactly the admissions in the end. A window may also keep what a loser took.
 */
export class RaceJudge {
  readonly expected = "admissions within every limit, and nothing lost";
  readonly #scenario: Scenario;
  readonly #race: Race;
  readonly #known = new Map<string, boolean>();

  constructor(scenario: Scenario, race: Race) {
    this.#scenario = scenario;
    this.#race = race;
  }

  /** How many different histories there have been. */
  get histories(): number {
    return this.#known.size;
  }

  accepts(history: History): boolean {
    const name = JSON.stringify([history.threads.map(({ outcomes }) => outcomes), [...history.finalState.values()]]);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const { first, second } = this.#race;
    const is = this.#isWithin("first", first, history) && this.#isWithin("second", second, history);
    this.#known.set(name, is);
    return is;
  }

  #isWithin(key: "first" | "second", limits: readonly Limit[], history: History): boolean {
    const admissions = this.#admissions(key, history);
    if (!limits.every((limit) => isWithin(limit, admissions))) return false;
    if (!this.#isAtOneMoment) return true;
    const state = [...history.finalState.values()].join();
    return limits.every((limit) => {
      const used = Number(new RegExp(`${limit.name}: (\\d+)`).exec(state)?.[1]);
      const counting = unitsLeft(limit, admissions);
      return limit.algorithm === "token-bucket" ? used === counting : used >= counting;
    });
  }

  #admissions(key: "first" | "second", { threads }: History): Admission[] {
    const concerning = (call: Call) => call.key === key || call.key === "both";
    const before = this.#scenario.before.filter(concerning).map(({ nowMs, cost }) => ({ ms: nowMs, cost }));
    const inRace = threads.flatMap(({ outcomes }, thread) =>
      outcomes.flatMap((outcome, index): Admission[] => {
        const call = this.#scenario.programs[thread]![index]!;
        const [allowed, , ms] = outcome.split(" ");
        return allowed === "true" && concerning(call) ? [{ ms: Number(ms), cost: call.cost }] : [];
      }),
    );
    return [...before, ...inRace];
  }

  get #isAtOneMoment(): boolean {
    const { programs, deaths } = this.#scenario;
    return deaths === "none" && new Set(programs.flat().map(({ nowMs }) => nowMs)).size === 1;
  }
}

/** Whether no period, however long, has more admissions than a limit promises. */
function isWithin(limit: Limit, admissions: readonly Admission[]): boolean {
  return admissions.every(({ ms: fromMs }) =>
    admissions.every(({ ms: toMs }) => {
      if (toMs < fromMs) return true;
      const between = admissions.filter(({ ms }) => ms >= fromMs && ms <= toMs);
      const cost = between.reduce((sum, admission) => sum + admission.cost, 0);
      return cost <= mostWithin(limit, toMs - fromMs);
    }),
  );
}

/** How many units count at the last admission: exactly in a bucket, at least in a window. */
function unitsLeft(limit: Limit, admissions: readonly Admission[]): number {
  const lastMs = Math.max(...admissions.map(({ ms }) => ms));
  if (limit.algorithm !== "token-bucket") {
    return admissions.reduce((sum, { ms, cost }) => (ms === lastMs ? sum + cost : sum), 0);
  }
  const perUnitMs = limit.perMs / limit.refill;
  let fullAtMs = Number.NEGATIVE_INFINITY;
  for (const { ms, cost } of admissions) fullAtMs = Math.max(fullAtMs, ms) + cost * perUnitMs;
  return Math.ceil(Math.max(0, fullAtMs - lastMs) / perUnitMs);
}

/** The most units that a limit promises to admit within a period. */
function mostWithin(limit: Limit, ms: number): number {
  switch (limit.algorithm) {
    case "token-bucket":
      return limit.capacity + Math.floor((ms * limit.refill) / limit.perMs);
    case "sliding-window":
      return ms < limit.windowMs ? limit.capacity : Number.POSITIVE_INFINITY;
    case "fixed-window":
      return ms < limit.windowMs ? 2 * limit.capacity : Number.POSITIVE_INFINITY;
    case "concurrency":
      return ms < limit.ttlMs ? limit.capacity : Number.POSITIVE_INFINITY;
    default:
      return limit satisfies never;
  }
}
