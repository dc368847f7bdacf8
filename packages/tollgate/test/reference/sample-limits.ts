import { createModel, type Model } from "./model.ts";
import type { ModelFixedWindow, ModelLimit, ModelSlidingWindow, ModelTokenBucket } from "./model-limit.ts";

/** Limits for cases written by hand: small numbers, with defaults for all options. */
export const SECOND = 1_000_000n;
export const DAY = 86_400n * SECOND;

export function bucket(options: Partial<ModelTokenBucket> = {}): ModelTokenBucket {
  return {
    kind: "token-bucket",
    capacity: 10n,
    refill: 10n,
    perUs: SECOND,
    initial: "full",
    idleTtlUs: 60n * SECOND,
    unit: "requests",
    mode: "enforce",
    ...options,
  };
}

export function sliding(options: Partial<ModelSlidingWindow> = {}): ModelSlidingWindow {
  const defaults = {
    limit: 3n,
    windowUs: 100n,
    resolutionUs: 0n,
    unit: "requests",
    mode: "enforce",
  } as const;
  return { kind: "sliding-window", ...defaults, ...options };
}

export function fixed(options: Partial<ModelFixedWindow> = {}): ModelFixedWindow {
  const defaults = {
    limit: 3n,
    windowUs: 100n,
    anchor: "clock",
    unit: "requests",
    mode: "enforce",
  } as const;
  return { kind: "fixed-window", ...defaults, ...options };
}

export function model(...limits: ModelLimit[]): Model {
  return createModel({ limits });
}
