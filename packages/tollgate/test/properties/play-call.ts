import type { Cost, Decision, Handle, Limiter } from "tollgate";
import { explain, type ModelCall, type ModelVerb, transact } from "../reference/model.ts";
import type { ModelCost } from "../reference/model-limit.ts";
import type { Outcome } from "../reference/outcome.ts";
import { decisionDifferences, reportDifferences } from "./compare.ts";
import { costOf } from "./resolve-step.ts";
import type { Step, StepVerb } from "./scenario.ts";
import type { Input, Pair, World } from "./world.ts";

/** Is notified of every call and of its outcome in the model. */
export type Listener = (line: string) => void;

/** A step with the arguments that the library takes and those that the model takes. */
export interface Call {
  readonly verb: StepVerb;
  readonly by: Step["by"];
  readonly handle: () => Handle;
  readonly limiter: Limiter<Input>;
  readonly input: Input;
  readonly cost: Cost | undefined;
  readonly targets: readonly Pair[];
  readonly keys: readonly string[];
  readonly modelCalls: readonly ModelCall[];
  readonly now: bigint;
}

/**
 * Makes one call to the library and to the model.
 *
 * @returns the outcome on which both agree, if the call is one that decides.
 * @throws Error when the library differs.
 */
export function playCall(call: Call, listen: Listener | undefined): Outcome | undefined {
  const { verb, by, limiter, input, cost, targets, keys, modelCalls, now } = call;
  listen?.(
    `${now} µs: ${targets.map(({ name }) => name).join("+")}${by === "input" ? "" : ` by ${by}`}.${verb}(${JSON.stringify([...keys, cost])})`,
  );
  const handle = by === "handle" ? call.handle() : undefined;
  switch (verb) {
    case "consume":
      return decided("take", () => handle?.consume(cost) ?? limiter.consume(input, cost), call, listen);
    case "peek":
      return decided("peek", () => limiter.peek(input, cost), call, listen);
    case "charge":
      return decided("charge", () => handle?.charge(cost ?? 1) ?? limiter.charge(input, cost ?? 1), call, listen);
    case "allow": {
      const outcome = transact("take", modelCalls, now);
      if (allow(call) !== outcome.allowed) throw new Error(`allow: expected ${outcome.allowed}`);
      return outcome;
    }
    case "refund":
      transact("refund", modelCalls, now);
      if (handle === undefined) limiter.refund(input, cost ?? 1);
      else handle.refund(cost ?? 1);
      return undefined;
    case "explain":
      expectNone(reportDifferences(limiter.explain(input, cost), explain(modelCalls, now), now, targets, keys));
      return undefined;
    case "reset":
      limiter.reset(input);
      for (const { model, key } of modelCalls) model.reset(key);
      return undefined;
    case "sweep":
      limiter.sweep();
      for (const { model } of modelCalls) model.sweep(now);
      return undefined;
    default:
      return verb satisfies never;
  }
}

export function callOf(step: Step, world: World, targets: readonly Pair[], input: Input, nowUs: number): Call {
  const [alone, ...others] = targets;
  const limiter = alone === undefined || others.length > 0 ? world.all : alone.limiter;
  const keys = targets.map((pair) => world.textOf(input, world.pairs.indexOf(pair)));
  const cost = costOf(step.cost, nowUs, targets, keys);
  const modelCalls = targets.flatMap(({ models }, i) =>
    models.map((model) => ({ model, key: keys[i] ?? "", cost: modelCost(cost) })),
  );
  const { verb, by } = step;
  const handle = () => world.handleOf(limiter, input);
  return { verb, by, handle, limiter, input, cost, targets, keys, modelCalls, now: BigInt(nowUs) };
}

function allow({ by, handle, limiter, input, cost }: Call): boolean {
  switch (by) {
    case "input":
      return limiter.allow(input, cost);
    case "handle":
      return handle().allow(cost);
    case "batch": {
      const out = new Uint8Array(1);
      const admitted = limiter.allowMany([input], out, cost);
      if (admitted !== out[0]) throw new Error(`allowMany: ${admitted} admitted, but noted ${out[0]}`);
      return admitted === 1;
    }
    default:
      return by satisfies never;
  }
}

function decided(
  verb: ModelVerb,
  decide: () => Decision,
  { modelCalls, now, targets }: Call,
  listen: Listener | undefined,
): Outcome {
  const outcome = transact(verb, modelCalls, now);
  listen?.(`    expected ${JSON.stringify(outcome, (_, value: unknown) => plain(value))}`);
  const decision = decide();
  listen?.(`    got ${JSON.stringify({ ...decision, limit: decision.limit?.name })}`);
  expectNone(decisionDifferences(decision, outcome, now, targets));
  return outcome;
}

function modelCost(cost: Cost | undefined): ModelCost {
  if (cost === undefined) return 1n;
  if (typeof cost === "number") return BigInt(cost);
  return Object.fromEntries(Object.entries(cost).map(([unit, count]) => [unit, BigInt(count)]));
}

function expectNone(differences: readonly string[]): void {
  if (differences.length > 0) throw new Error(differences.join("; "));
}

function plain(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
