import { LAST_EXACT, Ticks } from "../../algorithms/ticks.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { tickScale } from "../../core/limits/tick-scale.ts";
import type { Plan } from "../../core/plan.ts";
import { digest } from "../redis/digest.ts";
import { scriptAlgorithmOf } from "../redis/script/algorithms.ts";
import { blockNumbers, type EncodedCall, ORIGIN_US, originOf, type ScriptInput } from "../redis/script/encode-call.ts";
import { durationNumbers, type EncodedPlan } from "../redis/script/encode-plan.ts";
import { describeLimit } from "../redis/script/row.ts";
import { SCRIPT_VERBS } from "../redis/script/script-verbs.ts";
import type { ScriptTransaction } from "../redis/script/transaction.ts";

/** More than the moment of any receipt. */
const NOT_KNOWN = Number.MAX_SAFE_INTEGER;

/**
 * Encodes a batch as arguments of `tollgate.decide`: the moment in tests, whether rows are locked, the names
 * of the rows in order, and all numbers. `migration.sql` says what they mean.
 */
export function encodeBatch({ nowUs, transactions }: ScriptInput): EncodedCall {
  const keys = [...new Set(transactions.flatMap((one) => one.keys.map(({ name }) => name)))].sort();
  const rows = new Map(keys.map((name, i) => [name, i + 1]));
  const origin = nowUs === undefined ? ORIGIN_US : originOf(nowUs);
  const plans = new Map<EncodedPlan, number>();
  const limits: string[] = [];
  const numbers: number[] = [0, transactions.length, -LAST_EXACT, LAST_EXACT];
  /** Appends numbers, and returns where they begin, counted from 1. */
  const append = (more: readonly number[]): number => numbers.push(...more) - more.length + 1;
  const planAt = (plan: EncodedPlan): number => {
    const at = plans.get(plan) ?? append(planNumbers(plan, limits.length));
    if (!plans.has(plan)) limits.push(...limitsOf(plan, origin));
    const [fromUs = -LAST_EXACT, untilUs = LAST_EXACT] = plan.known ?? [];
    [numbers[2], numbers[3]] = [Math.max(numbers[2]!, fromUs), Math.min(numbers[3]!, untilUs)];
    plans.set(plan, at);
    return at;
  };
  // Plans, costs and receipts come before the transactions, which say where they are.
  const described = transactions.flatMap((one) => [
    ...verbNumbers(one),
    one.times,
    one.detail === "each" ? 1 : 0,
    one.keys.length,
    ...one.keys.flatMap(({ name, plan, costs, untilUs, decidedUs = NOT_KNOWN }) => {
      const costsAt = append(plan.plan.limits.map((_, i) => costs[i] ?? 0));
      return [rows.get(name) ?? 0, planAt(plan), costsAt, untilUs === undefined ? 0 : append([...untilUs, decidedUs])];
    }),
    ...(one.block === undefined ? [] : blockNumbers(one.block)),
  ]);
  numbers[0] = append(described);
  const given = nowUs === undefined ? "" : String(nowUs);
  const locks = transactions.some(({ verb }) => SCRIPT_VERBS[verb].changes) ? "1" : "0";
  return { keys, args: [given, locks, arrayOf(keys), `{${limits.join(",")}}`, `{${numbers.join(",")}}`] };
}

/** What a verb changes, and what else it does. */
function verbNumbers({ verb, keys }: ScriptTransaction): readonly [bits: number, extra: number] {
  const { changes, decides, takes, refunds, renews, removesIdle, forgets, setsBlock } = SCRIPT_VERBS[verb];
  const bits = [changes, decides, takes === "always", refunds, renews];
  const mayBlock = changes && takes !== "never" && keys.some(({ plan }) => plan.blocksKeys);
  const extra = 1 + [removesIdle, forgets, setsBlock, mayBlock].indexOf(true);
  return [bits.reduce((sum, bit, i) => sum + (bit ? 2 ** i : 0), 0), extra];
}

/** A plan whose limits come after `before` others. Those of their blocks come last. */
function planNumbers({ plan }: EncodedPlan, before: number): readonly number[] {
  const numbers = [plan.onChange === "keep-first" ? 1 : 0, plan.limits.length, before];
  const blocks = plan.limits.map(durationNumbers);
  let at = numbers.length + 2 * blocks.length;
  for (const [i, block] of blocks.entries()) {
    numbers.push(plan.enforces[i]! ? 1 : 0, at);
    at += block.length;
  }
  return [...numbers, ...blocks.flat()];
}

/** The fields of `tollgate.lim`. */
const FIELDS = 14;

/** The limits of plans, for the origin and the windows that were asked for last. */
const known = new WeakMap<
  EncodedPlan,
  { readonly origin: number; readonly text: string; readonly limits: readonly string[] }
>();

function limitsOf(encoded: EncodedPlan, origin: number): readonly string[] {
  const before = known.get(encoded);
  const { plan, text, windows } = encoded;
  if (before?.origin === origin && before.text === text) return before.limits;
  const limits = plan.limits.map((limit, i) => `"(${describe(limit, plan, origin, windows[i] ?? []).join(",")})"`);
  known.set(encoded, { origin, text, limits });
  return limits;
}

/** A limit as `tollgate.lim`. */
function describe(limit: Limit, plan: Plan, origin: number, starts: readonly number[]): readonly number[] {
  const text = describeLimit(limit, plan);
  const id = Array.from(text.slice(0, 5)).reduce((sum, character) => sum * 128 + character.charCodeAt(0), 0);
  const { kind, numbers } = scriptAlgorithmOf(limit).describe(limit);
  const [capacity = 0, length = 0, refill = 0, idle = 0] = numbers;
  const row = (algorithm: number, ...rest: readonly number[]): readonly number[] => {
    const fields = [id, kind.charCodeAt(0), algorithm, capacity, length, ...rest];
    return Array.from({ length: FIELDS }, (_, i) => fields[i] ?? 0);
  };
  switch (limit.algorithm) {
    case "token-bucket": {
      const { units, periodUs } = tickScale(capacity, limit.refill, length);
      const ticks = new Ticks(capacity, limit.refill, length, origin);
      const { perUnit, perUs, exact, originUs, mostDebt } = ticks;
      return row(1, limit.refill, idle, perUnit, perUs, units * perUnit, periodUs, exact ? 1 : 0, originUs, mostDebt);
    }
    case "sliding-window": {
      const resolution = Math.max(refill, 1);
      return row(2, refill, 0, Math.min(capacity, Math.ceil(length / resolution)) + 1, resolution);
    }
    case "fixed-window":
      return row(3, 0, 0, 1);
    case "calendar-window":
      return row(3, 0, 0, ...starts);
    case "concurrency":
      // More groups than most limits need: places of a limit that becomes smaller keep their moments.
      return row(4, 0, 0, 128, capacity <= 64 ? 1 : Math.ceil(length / 62));
    default:
      return limit satisfies never;
  }
}

/** A literal of `text[]`. PostgreSQL has no text with NUL, so the name of such a key ends with a digest. */
function arrayOf(names: readonly string[]): string {
  const quoted = names.map((name) => {
    const nul = name.indexOf("\0");
    const text = nul < 0 ? name : `${name.slice(0, nul)}#${digest(name)}`;
    return `"${text.replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${quoted.join(",")}}`;
}
