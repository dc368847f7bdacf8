import type { Outcome } from "../reference/outcome.ts";
import { BATCH, type Call, callOf, type Played, play } from "./play.ts";
import { type LastDecision, nextUs } from "./resolve-step.ts";
import type { Scenario, Step } from "./scenario.ts";
import { LAST_US, REACH_US, YEAR_US } from "./times.ts";
import { createWorld, type Pair, type World, type WorldOptions } from "./world.ts";

/**
 * A store in memory drops idle keys during calls and when it makes keys. That shows in its size, and in decisions after
 * the clock goes back behind the drop. So scenarios end before the first drop unless `throughSweeps` is set.
 */
const UNSWEPT_CALLS = 60;
/** A new key brings the first drop nearer by as many calls. */
const CALLS_PER_KEY = 4;
/** A combined call makes up to three calls to each limiter: a look, a first touch, a figure. */
const CALLS_COMBINED = 3;
/** Tables refuse calls more than 20 years from their first. */
export const REACH_OF_TABLES_US: number = 9 * YEAR_US;
/** A witness makes at most as many calls. */
const CALLS_WITNESSED = 4;

export interface RunOptions extends WorldOptions {
  /**
   * Goes on when the store begins to sweep. Only for clocks that never go back, and without debts that fill the ring of
   * a sliding window, which holds one group more while it is new.
   */
  readonly throughSweeps?: boolean;
  /** Goes to any time between the epoch and 2039. Only for scenarios in which no debt comes near its ceiling. */
  readonly wandering?: boolean;
  /** Makes a witness, which checks every call after the library and the model have agreed on it. */
  readonly witness?: () => Witness;
}

/** May look at other times if it sets the clock back afterwards. @throws Error when its own check fails. */
export type Witness = (call: Call, outcome: Outcome | undefined, world: World) => void;

/** Plays one step after the other. */
class Player {
  readonly #world: World;
  readonly #earliestUs: number;
  readonly #latestUs: number;
  readonly #calls: Call[] = [];
  #last: LastDecision | undefined;
  nowUs: number;
  wentBack = false;

  constructor(world: World, earliestUs = 0, latestUs = Number.POSITIVE_INFINITY) {
    this.#world = world;
    this.#earliestUs = earliestUs;
    this.#latestUs = latestUs;
    this.nowUs = world.startUs;
  }

  targetsOf({ who }: Step): readonly Pair[] {
    return this.#world.targetsOf(who, this.#calls.length);
  }

  /** Moves the clock, and makes the call of a step to the library and to the model. */
  begin(step: Step): readonly [Call, Played] {
    const targets = this.targetsOf(step);
    const wantedUs = nextUs(step.move, this.nowUs, targets, this.#last);
    const beforeUs = this.nowUs;
    this.nowUs = Math.max(this.#earliestUs, Math.min(wantedUs, this.#latestUs));
    this.wentBack ||= this.nowUs < beforeUs;
    this.#world.clock.set(this.nowUs / 1_000);
    const call = callOf(step, this.#world, targets, this.nowUs);
    this.#calls.push(call);
    const played = play(call);
    const outcome = played.outcome?.ofLimits;
    if (outcome !== undefined) this.#last = lastDecision(outcome, this.nowUs);
    return [call, played];
  }

  /** @throws Error with all calls if the library differs from the model. */
  compare(differences: readonly string[]): void {
    if (differences.length > 0) throw this.failed(new Error(differences.join("; ")));
  }

  failed(cause: unknown): Error {
    const message = cause instanceof Error ? cause.message : String(cause);
    const beginning = `The clock starts at ${this.#world.startUs} µs.`;
    return new Error([message, beginning, ...this.#calls.map(textOf)].join("\n  "), { cause });
  }
}

function textOf({ verb, by, targets, keys, cost, now }: Call): string {
  const names = targets.map(({ name }) => name).join("+");
  return `${now} µs: ${names}${by === "input" ? "" : ` by ${by}`}.${verb}(${JSON.stringify([...keys, cost])})`;
}

/** Plays steps over stores of this process. @throws Error at the first one at which library and model differ. */
export function playSteps(world: World, steps: readonly Step[]): void {
  const player = new Player(world);
  for (const step of steps) {
    const [, { got, differences }] = player.begin(step);
    player.compare(differences(got as never));
  }
}

/** The same over stores of any kind, within so long of the start. */
export async function playStepsOver(
  world: World,
  steps: readonly Step[],
  reachUs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const player = new Player(world, Math.max(0, world.startUs - reachUs), world.startUs + reachUs);
  for (const step of steps) {
    const [, { got, differences }] = player.begin(step);
    try {
      player.compare(differences((await got) as never));
    } catch (error) {
      throw error instanceof Error && error.cause !== undefined ? error : player.failed(error);
    }
  }
}

/** Plays a scenario with the library and with the model. @throws Error at the first step at which they differ. */
export function runScenario(scenario: Scenario, options: RunOptions = {}): void {
  const { startUs } = scenario;
  const { wandering = false, throughSweeps = false } = options;
  const world = createWorld(startUs, scenario.limiters, scenario.store, options);
  const { pairs } = world;
  const witness = options.witness?.();
  const reachUs = scenario.store === "memory" ? REACH_US : REACH_OF_TABLES_US;
  const earliestUs = wandering ? 0 : Math.max(0, startUs - reachUs);
  const player = new Player(world, earliestUs, wandering ? LAST_US : startUs + reachUs);
  let callsLeft = throughSweeps ? Number.POSITIVE_INFINITY : UNSWEPT_CALLS;
  for (const step of scenario.steps) {
    const targets = player.targetsOf(step);
    const calls = callsOf(targets, options) * (step.verb === "allow" && step.by === "batch" ? BATCH : 1);
    if (callsLeft < calls + CALLS_PER_KEY * spacesOf(targets, options)) break;
    const keysBefore = modelSize(pairs);
    const [call, { outcome, got, differences }] = player.begin(step);
    player.compare(differences(got as never));
    try {
      witness?.(call, outcome?.ofLimits, world);
    } catch (error) {
      throw player.failed(error);
    }
    callsLeft -= calls + CALLS_PER_KEY * Math.max(0, modelSize(pairs) - keysBefore);
  }
  if (!throughSweeps && scenario.store === "memory") player.compare(sizeDifferences(pairs));
  // A block of a table's slots may keep a key that is idle again since the clock went back.
  if (player.wentBack && (scenario.store === "table" || scenario.store === "shared")) return;
  for (const { limiter, models } of pairs) {
    void limiter.sweep();
    for (const { model } of models) model.sweep(BigInt(player.nowUs));
  }
  player.compare(sizeDifferences(pairs));
}

function lastDecision(outcome: Outcome, atUs: number): LastDecision {
  return { atUs, retryUs: outcome.allowed ? 0n : outcome.retryAfterUs, resetUs: outcome.resetUs };
}

function spacesOf(targets: readonly Pair[], { chosenPerCall }: RunOptions): number {
  return chosenPerCall === true ? targets.flatMap(({ specs }) => specs).length : targets.length;
}

function callsOf(targets: readonly Pair[], options: RunOptions): number {
  const spaces = spacesOf(targets, options);
  const calls = 1 + (options.witness === undefined ? 0 : CALLS_WITNESSED);
  return spaces === 1 ? calls : CALLS_COMBINED * spaces * calls;
}

function sizeDifferences(pairs: readonly Pair[]): string[] {
  return pairs
    .filter((pair) => pair.limiter.size !== modelSize([pair]))
    .map((pair) => `${pair.name}.size: got ${String(pair.limiter.size)}, expected ${modelSize([pair])}`);
}

function modelSize(pairs: readonly Pair[]): number {
  let size = 0;
  for (const { models } of pairs) for (const { model } of models) size += model.size;
  return size;
}
