import { type BlockForOption, fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";
import type { ModelLimit } from "../reference/model-limit.ts";

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

/** A limit as plain numbers, the source of both the library's limit and the model's. */
export type LimitSpec = TokenBucketSpec | SlidingWindowSpec | FixedWindowSpec;

export function libraryLimit(spec: LimitSpec, name: string, blockFor?: BlockForOption): Limit {
  const { unit, mode } = spec;
  const blocks = blockFor === undefined ? {} : { blockFor };
  switch (spec.kind) {
    case "token-bucket": {
      const { capacity, refill, initial } = spec;
      const per = spec.perUs / 1_000;
      const idle = spec.idleTtlUs === undefined ? {} : { idleTtl: spec.idleTtlUs / 1_000 };
      return tokenBucket({
        name,
        unit,
        mode,
        capacity,
        refill,
        per,
        initial,
        ...idle,
        ...blocks,
      });
    }
    case "sliding-window": {
      const resolution = spec.resolutionUs === undefined ? {} : { resolution: spec.resolutionUs / 1_000 };
      return slidingWindow({
        name,
        unit,
        mode,
        limit: spec.limit,
        window: spec.windowUs / 1_000,
        ...resolution,
        ...blocks,
      });
    }
    case "fixed-window":
      return fixedWindow({
        name,
        unit,
        mode,
        limit: spec.limit,
        window: spec.windowUs / 1_000,
        anchor: spec.anchor,
        ...blocks,
      });
    default:
      return spec satisfies never;
  }
}

/** The same limit for the model. `limit` supplies the library's defaults for what the spec leaves out. */
export function modelLimit(spec: LimitSpec, limit: Limit): ModelLimit {
  const { unit, mode } = spec;
  switch (spec.kind) {
    case "token-bucket": {
      const defaultMs = limit.algorithm === "token-bucket" ? limit.idleTtlMs : 0;
      const { kind, initial } = spec;
      const [capacity, refill, perUs] = [BigInt(spec.capacity), BigInt(spec.refill), BigInt(spec.perUs)];
      const idleTtlUs = BigInt(spec.idleTtlUs ?? Math.round(defaultMs * 1_000));
      return { kind, unit, mode, capacity, refill, perUs, initial, idleTtlUs };
    }
    case "sliding-window": {
      const defaultMs = limit.algorithm === "sliding-window" ? limit.resolutionMs : 0;
      const resolutionUs = BigInt(spec.resolutionUs ?? Math.round(defaultMs * 1_000));
      return {
        kind: spec.kind,
        unit,
        mode,
        limit: BigInt(spec.limit),
        windowUs: BigInt(spec.windowUs),
        resolutionUs,
      };
    }
    case "fixed-window": {
      const { kind, anchor } = spec;
      return {
        kind,
        unit,
        mode,
        limit: BigInt(spec.limit),
        windowUs: BigInt(spec.windowUs),
        anchor,
      };
    }
    default:
      return spec satisfies never;
  }
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
