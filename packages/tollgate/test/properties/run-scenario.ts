import type { Outcome } from "../reference/outcome.ts";
import { type Call, callOf, type Listener, playCall } from "./play-call.ts";
import { type LastDecision, nextUs } from "./resolve-step.ts";
import type { Scenario, Step } from "./scenario.ts";
import { LAST_US, REACH_US, YEAR_US } from "./times.ts";
import { createWorld, type Input, type Pair, type World, type WorldOptions } from "./world.ts";

const KEYS = ["ann", "__proto__", "\ud800 lone"] as const;
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
const REACH_OF_TABLES_US = 9 * YEAR_US;
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

/** Plays a scenario with the library and with the model. @throws Error at the first step at which they differ. */
export function runScenario(scenario: Scenario, options: RunOptions = {}): void {
  toldStepByStep(`The clock starts at ${scenario.startUs} µs.`, (listen) => play(scenario, options, listen));
}

/** Runs a check. If it fails, a second run lists the steps that led to the failure. */
function toldStepByStep(beginning: string, check: (listen: Listener | undefined) => void): void {
  try {
    check(undefined);
  } catch (error) {
    const lines: string[] = [];
    try {
      check((line) => lines.push(line));
    } catch {
      // The same error.
    }
    const message = error instanceof Error ? error.message : String(error);
    throw new Error([message, beginning, ...lines].join("\n  "), { cause: error });
  }
}

function play(scenario: Scenario, options: RunOptions, listen: Listener | undefined): void {
  const { startUs } = scenario;
  const { wandering = false, throughSweeps = false } = options;
  const world = createWorld(startUs, scenario.limiters, { ...options, store: scenario.store });
  const witness = options.witness?.();
  const reachUs = scenario.store === "memory" ? REACH_US : REACH_OF_TABLES_US;
  const earliestUs = wandering ? 0 : Math.max(0, startUs - reachUs);
  const latestUs = wandering ? LAST_US : startUs + reachUs;
  let nowUs = startUs;
  let last: LastDecision | undefined;
  let wentBack = false;
  let callsLeft = throughSweeps ? Number.POSITIVE_INFINITY : UNSWEPT_CALLS;
  for (const step of scenario.steps) {
    const targets = targetsOf(step, world);
    const calls = callsOf(targets, options);
    if (callsLeft < calls + CALLS_PER_KEY * spacesOf(targets, options)) break;
    const keysBefore = modelSize(world.pairs);
    const wantedUs = nextUs(step.move, nowUs, targets[0] ?? world.first, last);
    const beforeUs = nowUs;
    nowUs = Math.max(earliestUs, Math.min(wantedUs, latestUs));
    if (nowUs < beforeUs) wentBack = true;
    world.clock.set(nowUs / 1_000);
    const call = callOf(step, world, targets, inputOf(step), nowUs);
    const outcome = playCall(call, listen);
    witness?.(call, outcome, world);
    callsLeft -= calls + CALLS_PER_KEY * Math.max(0, modelSize(world.pairs) - keysBefore);
    if (outcome !== undefined) last = lastDecision(outcome, nowUs);
  }
  if (!throughSweeps && scenario.store === "memory") expectSameSizes(world);
  // A block of a table's slots may keep a key that is idle again since the clock went back.
  if (wentBack && (scenario.store === "table" || scenario.store === "shared")) return;
  sweepAll(world, BigInt(nowUs));
  expectSameSizes(world);
}

function inputOf({ keys }: Step): Input {
  return keys.map((place) => KEYS[place] ?? "");
}

function targetsOf(step: Step, world: World): readonly Pair[] {
  const alone = world.pairs[step.who];
  return alone === undefined ? world.pairs : [alone];
}

function lastDecision(outcome: Outcome, atUs: number): LastDecision {
  return { atUs, retryUs: outcome.allowed ? 0n : outcome.retryAfterUs, resetUs: outcome.resetUs };
}

function spacesOf(targets: readonly Pair[], { chosenPerCall }: RunOptions): number {
  return chosenPerCall === true ? targets.flatMap(({ limits }) => limits).length : targets.length;
}

function callsOf(targets: readonly Pair[], options: RunOptions): number {
  const spaces = spacesOf(targets, options);
  const calls = 1 + (options.witness === undefined ? 0 : CALLS_WITNESSED);
  return spaces === 1 ? calls : CALLS_COMBINED * spaces * calls;
}

function sweepAll({ pairs }: World, now: bigint): void {
  for (const { limiter, models } of pairs) {
    limiter.sweep();
    for (const model of models) model.sweep(now);
  }
}

function expectSameSizes({ pairs }: World): void {
  for (const pair of pairs) {
    const expected = modelSize([pair]);
    if (pair.limiter.size !== expected) {
      throw new Error(`${pair.name}.size: got ${pair.limiter.size}, expected ${expected}`);
    }
  }
}

function modelSize(pairs: readonly Pair[]): number {
  let size = 0;
  for (const { models } of pairs) for (const model of models) size += model.size;
  return size;
}
