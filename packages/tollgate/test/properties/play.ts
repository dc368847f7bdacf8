import type { AsyncHandle, AsyncLimiter, Cost, Decision, Handle, Limiter, LimitStatus } from "tollgate";
import { type BlockedOutcome, type BlockingCall, block, callWithBlocks, isBlocked } from "../reference/blocks.ts";
import { explain, type ModelCall, transact } from "../reference/model.ts";
import type { ModelCost } from "../reference/model-limit.ts";
import { type Counted, decisionDifferences, reportDifferences } from "./compare.ts";
import { costOf } from "./resolve-step.ts";
import type { Step } from "./scenario.ts";
import type { Input, Pair, World } from "./world.ts";

/** A step with the arguments that the library takes and those that the model takes. */
export interface Call extends Pick<Step, "verb" | "by"> {
  readonly handle: () => Handle | AsyncHandle;
  readonly limiter: Limiter<Input> | AsyncLimiter<Input>;
  readonly input: Input;
  readonly cost: Cost | undefined;
  readonly blockUs: number;
  readonly targets: readonly Pair[];
  readonly keys: readonly string[];
  readonly modelCalls: readonly (BlockingCall & ModelCall)[];
  readonly now: bigint;
}

/** What a call came to. */
export interface Played {
  /** That of the model, if the call is one that decides. */
  readonly outcome?: BlockedOutcome;
  /** What the library returned, or its promise. */
  readonly got: unknown;
  /** In words, how that differs from the model. */
  readonly differences: (got: never) => readonly string[];
}

/** Makes one call to the library and to the model: the only place where both are called. */
export function play(call: Call): Played {
  const { verb, by, limiter, input, cost, modelCalls, now } = call;
  const handle = by === "handle" ? call.handle() : undefined;
  switch (verb) {
    case "consume":
    case "charge":
    case "peek": {
      const outcome = callWithBlocks(verb === "consume" ? "take" : verb, modelCalls, now);
      const counted = countedBy(call);
      const got = verb === "peek" ? decide(call, verb) : (handle?.[verb](cost ?? 1) ?? decide(call, verb));
      return { outcome, got, differences: (one: Decision) => decisionDifferences(one, outcome, now, counted) };
    }
    case "allow": {
      const take = () => callWithBlocks("take", modelCalls, now);
      if (by === "batch") return playBatch(call, Array.from({ length: BATCH }, take));
      const outcome = take();
      const got = handle === undefined ? limiter.allow(input, cost) : handle.allow(cost);
      return { outcome, got, differences: (one: boolean) => unlike(verb, one, outcome.allowed) };
    }
    case "refund":
      transact("refund", modelCalls, now);
      return none(handle === undefined ? limiter.refund(input, cost ?? 1) : handle.refund(cost ?? 1));
    case "explain": {
      const reports = explain(modelCalls, now);
      const counted = countedBy(call);
      const differences = (got: readonly LimitStatus[]) => reportDifferences(got, reports, now, counted);
      return { got: limiter.explain(input, cost), differences };
    }
    case "reset":
      for (const { model, key } of modelCalls) model.reset(key);
      return none(limiter.reset(input));
    case "sweep":
      for (const { model } of modelCalls) model.sweep(now);
      return none(limiter.sweep());
    case "clear":
      for (const { model } of modelCalls) model.clear();
      return none(limiter.clear());
    case "block":
    case "unblock":
    case "blocked until":
      return playBlock(verb, call);
    default:
      return verb satisfies never;
  }
}

export function callOf(step: Step, world: World, targets: readonly Pair[], nowUs: number): Call {
  const { verb, by, blockUs = 10 } = step;
  const input = step.keys.map(world.keyOf);
  const [alone, ...others] = targets;
  const limiter = alone === undefined || others.length > 0 ? world.all : alone.limiter;
  const keys = targets.map(({ place }) => world.textOf(input, place));
  const cost = costOf(step.cost, nowUs, targets, keys);
  const modelCalls = targets.flatMap(({ models }, i) =>
    models.map((of) => ({ of, model: of.model, key: keys[i] ?? "", cost: modelCost(cost) })),
  );
  const handle = () => world.handleOf(limiter, input);
  return { verb, by, blockUs, handle, limiter, input, cost, targets, keys, modelCalls, now: BigInt(nowUs) };
}

/** The limits that the model counted the call against, in order. */
function countedBy({ targets, keys }: Call): Counted[] {
  return targets.flatMap(({ name, models }, i) =>
    models.flatMap(({ counted }) => counted().map((limit) => ({ limit, limiter: name, key: keys[i] }))),
  );
}

function decide({ limiter, input, cost }: Call, verb: "consume" | "peek" | "charge"): Decision | Promise<Decision> {
  return verb === "charge" ? limiter.charge(input, cost ?? 1) : limiter[verb](input, cost);
}

/** Identical calls of one batch, which a store elsewhere may decide at once. */
export const BATCH = 3;

function playBatch({ limiter, input, cost }: Call, outcomes: readonly BlockedOutcome[]): Played {
  const out = new Uint8Array(outcomes.length);
  const expected = outcomes.map(({ allowed }) => Number(allowed));
  const sum = expected.reduce((all, one) => all + one, 0);
  const got = limiter.allowMany(
    outcomes.map(() => input),
    out,
    cost,
  );
  const differences = (admitted: number) => [
    ...unlike("allowMany", admitted, sum),
    ...unlike("noted by allowMany", out.join(), expected.join()),
  ];
  return { outcome: outcomes.at(-1)!, got, differences };
}

/** Texts of one and two UTF-16 units per character. */
const REASONS = [undefined, "scraping", "ключ \ud83d\udd11"] as const;

function playBlock(
  verb: "block" | "unblock" | "blocked until",
  { limiter, input, modelCalls, now, blockUs }: Call,
): Played {
  const blocked = modelCalls.filter(({ of, key }) => isBlocked(of, key, now));
  switch (verb) {
    case "block": {
      const untilUs = now + BigInt(blockUs);
      const reason = REASONS[blockUs % REASONS.length];
      for (const { of, key } of modelCalls) block(of, key, untilUs, reason, now);
      const span = blockUs % 20 === 0 ? blockUs / 1_000 : { until: Number(untilUs) / 1_000 };
      return none(limiter.block(input, span, reason === undefined ? undefined : { reason }));
    }
    case "unblock":
      for (const { of, key } of modelCalls) of.blocks.delete(key);
      return { got: limiter.unblock(input), differences: (got: boolean) => unlike(verb, got, blocked.length > 0) };
    case "blocked until": {
      const ends = blocked.map(({ of, key }) => Number(of.blocks.get(key)!.untilUs));
      const expected = ends.length === 0 ? undefined : Math.max(...ends);
      const inUs = (ms: number | undefined) => (ms === undefined ? ms : Math.round(ms * 1_000));
      return {
        got: limiter.blockedUntil(input),
        differences: (got: number | undefined) => unlike(verb, inUs(got), expected),
      };
    }
    default:
      return verb satisfies never;
  }
}

function none(got: unknown): Played {
  return { got, differences: () => [] };
}

function unlike(what: string, got: unknown, expected: unknown): string[] {
  return got === expected ? [] : [`${what}: got ${String(got)}, expected ${String(expected)}`];
}

function modelCost(cost: Cost | undefined): ModelCost {
  if (cost === undefined) return 1n;
  if (typeof cost === "number") return BigInt(cost);
  return Object.fromEntries(Object.entries(cost).map(([unit, count]) => [unit, BigInt(count)]));
}
