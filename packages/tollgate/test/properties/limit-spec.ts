import { type BlockFor, fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";
import type { ModelBlockFor } from "../reference/blocks.ts";
import type { ModelCalendarUnit, ModelLimit, ModelZone } from "../reference/model-limit.ts";

interface Common {
  readonly unit: "requests" | "tokens";
  readonly mode: "enforce" | "shadow";
}

export interface TokenBucketSpec extends Common {
  readonly kind: "token-bucket";
  readonly capacity: number;
  readonly refill: number;
  readonly perUs: number;
  readonly initial: "full" | "empty";
  readonly idleTtlUs: number | undefined;
}

export interface SlidingWindowSpec extends Common {
  readonly kind: "sliding-window";
  readonly limit: number;
  readonly windowUs: number;
  readonly resolutionUs: number | undefined;
}

export interface FixedWindowSpec extends Common {
  readonly kind: "fixed-window";
  readonly limit: number;
  readonly windowUs: number;
  readonly anchor: "clock" | "first-use";
}

export interface CalendarWindowSpec extends Common {
  readonly kind: "calendar-window";
  readonly limit: number;
  readonly window: ModelCalendarUnit;
  readonly timeZone: ModelZone;
  /** About how long a window is. */
  readonly windowUs: number;
}

/** A limit as plain numbers, the source of both the library's limit and the model's. */
export type LimitSpec = TokenBucketSpec | SlidingWindowSpec | FixedWindowSpec | CalendarWindowSpec;

export function libraryLimit(spec: LimitSpec, name: string, blockFor?: BlockFor): Limit {
  const { unit, mode } = spec;
  const common = { name, unit, mode, ...(blockFor === undefined ? {} : { blockFor }) };
  switch (spec.kind) {
    case "token-bucket": {
      const { capacity, refill, perUs, initial, idleTtlUs } = spec;
      const idle = idleTtlUs === undefined ? {} : { idleTtl: idleTtlUs / 1_000 };
      return tokenBucket({ ...common, capacity, refill, per: perUs / 1_000, initial, ...idle });
    }
    case "sliding-window": {
      const { limit, windowUs, resolutionUs } = spec;
      const resolution = resolutionUs === undefined ? {} : { resolution: resolutionUs / 1_000 };
      return slidingWindow({ ...common, limit, window: windowUs / 1_000, ...resolution });
    }
    case "fixed-window": {
      const { limit, windowUs, anchor } = spec;
      return fixedWindow({ ...common, limit, window: windowUs / 1_000, anchor });
    }
    case "calendar-window": {
      const { limit, window, timeZone } = spec;
      return fixedWindow({ ...common, limit, window, timeZone });
    }
    default:
      return spec satisfies never;
  }
}

/** A limit for the model. */
export function modelLimit(limit: Limit): ModelLimit {
  const { unit, mode } = limit;
  const capacity = BigInt(limit.capacity);
  switch (limit.algorithm) {
    case "token-bucket": {
      const { initial, perMs, idleTtlMs } = limit;
      const refill = BigInt(limit.refill);
      return {
        ...{ kind: "token-bucket", unit, mode, capacity, refill, perUs: inUs(perMs) },
        ...{ initial, idleTtlUs: inUs(idleTtlMs) },
      };
    }
    case "sliding-window": {
      const [windowUs, resolutionUs] = [inUs(limit.windowMs), inUs(limit.resolutionMs)];
      return { kind: "sliding-window", unit, mode, limit: capacity, windowUs, resolutionUs };
    }
    case "fixed-window": {
      const { anchor } = limit;
      return { kind: "fixed-window", unit, mode, limit: capacity, windowUs: inUs(limit.windowMs), anchor };
    }
    case "calendar-window": {
      const { window, timeZone } = limit;
      return { kind: "calendar-window", unit, mode, limit: capacity, window, timeZone: timeZone as ModelZone };
    }
    case "concurrency":
      throw new Error("places have a model of their own");
    default:
      return limit satisfies never;
  }
}

/** What exhausting a limit costs, for the model. */
export function modelBlockFor({ blockFor }: Limit): ModelBlockFor | undefined {
  if (blockFor === undefined) return undefined;
  const { durationsMs, forgetAfterMs, extend } = blockFor;
  return { durationsUs: durationsMs.map(inUs), forgetAfterUs: inUs(forgetAfterMs), extend };
}

function inUs(ms: number): bigint {
  return BigInt(Math.round(ms * 1_000));
}

export function capacityOf(spec: LimitSpec): number {
  return spec.kind === "token-bucket" ? spec.capacity : spec.limit;
}

/** How long one unit of a limit takes, and how long all of them take. */
export function spansUs(spec: LimitSpec): readonly [number, number] {
  if (spec.kind === "token-bucket") {
    const unitUs = spec.perUs / spec.refill;
    return [Math.max(1, Math.floor(unitUs)), Math.max(1, Math.floor(unitUs * spec.capacity))];
  }
  const finerUs = spec.kind === "sliding-window" ? (spec.resolutionUs ?? spec.windowUs / 64) : spec.windowUs / 8;
  return [Math.max(1, Math.floor(finerUs)), spec.windowUs];
}
