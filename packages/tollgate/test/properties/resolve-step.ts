import type { Cost } from "tollgate";
import type { Wait } from "../reference/limit-state.ts";
import { explain } from "../reference/model.ts";
import { capacityOf, spansUs } from "./limit-spec.ts";
import type { Amount, CostSpec, Move } from "./scenario.ts";
import type { Pair } from "./world.ts";

/** The figures of the last decision, for moves that lead to its retry or reset. */
export interface LastDecision {
  readonly atUs: number;
  readonly retryUs: Wait;
  readonly resetUs: bigint;
}

export function nextUs(move: Move, nowUs: number, targets: readonly Pair[], last: LastDecision | undefined): number {
  switch (move.to) {
    case "same":
      return nowUs;
    case "later":
      return nowUs + move.us;
    case "earlier":
      return nowUs - move.us;
    case "span": {
      const [spec] = targets[0]?.specs ?? [];
      const spanUs = spec === undefined ? 0 : spansUs(spec)[move.which];
      return nowUs + Math.trunc((spanUs * move.eighths) / 8);
    }
    case "retry":
    case "reset": {
      if (last === undefined) return nowUs;
      const waitUs = move.to === "reset" ? last.resetUs : last.retryUs;
      return waitUs === "never" ? nowUs : Math.max(nowUs, last.atUs + Number(waitUs) + move.plusUs);
    }
    case "moment":
      return move.us;
    case "block end": {
      const blocks = targets.flatMap(({ models }) => models.flatMap((model) => [...model.blocks.values()]));
      const ends = blocks.map(({ untilUs }) => Number(untilUs)).filter((us) => us > nowUs);
      return ends.length === 0 ? nowUs : Math.min(...ends);
    }
    default:
      return move satisfies never;
  }
}

/** Resolves a cost at `nowUs`. What is left of a limit comes from the model of the first of `targets`. */
export function costOf(
  spec: CostSpec,
  nowUs: number,
  targets: readonly Pair[],
  keys: readonly string[],
): Cost | undefined {
  const count = (amount: Amount) => countOf(amount, nowUs, targets, keys);
  switch (spec.as) {
    case "default":
      return undefined;
    case "number":
      return count(spec.amount);
    case "each": {
      // A limiter refuses units that it does not count.
      const units = new Set(targets.flatMap(({ specs }) => specs.map((limit) => limit.unit)));
      const { requests, tokens } = spec;
      return {
        ...(requests !== undefined && units.has("requests") ? { requests: count(requests) } : {}),
        ...(tokens !== undefined && units.has("tokens") ? { tokens: count(tokens) } : {}),
      };
    }
    default:
      return spec satisfies never;
  }
}

function countOf(amount: Amount, nowUs: number, targets: readonly Pair[], keys: readonly string[]): number {
  if (amount.of === "number") return amount.count;
  const [target] = targets;
  const place = amount.limit % (target?.specs.length ?? 1);
  const spec = target?.specs[place];
  if (target === undefined || spec === undefined) return 1;
  switch (amount.of) {
    case "capacity":
      return capacityOf(spec) + amount.plus;
    case "part":
      return Math.ceil((capacityOf(spec) * amount.eighths) / 8);
    case "left": {
      const calls = target.models.map(({ model }) => ({ model, key: keys[0] ?? "", cost: 0n }));
      return Math.max(0, Number(explain(calls, BigInt(nowUs))[place]?.remaining ?? 0n) + amount.plus);
    }
    default:
      return amount satisfies never;
  }
}
