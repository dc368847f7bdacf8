/** The limits and costs of the reference model. Every time is a whole number of microseconds. */

interface Common {
  readonly unit: string;
  readonly mode: "enforce" | "shadow";
}

export interface ModelTokenBucket extends Common {
  readonly kind: "token-bucket";
  readonly capacity: bigint;
  /** Units gained every `perUs`, continuously. */
  readonly refill: bigint;
  readonly perUs: bigint;
  readonly initial: "full" | "empty";
  /** How long a bucket that began empty is kept after it has filled. Ignored if it began full. */
  readonly idleTtlUs: bigint;
}

export interface ModelSlidingWindow extends Common {
  readonly kind: "sliding-window";
  readonly limit: bigint;
  readonly windowUs: bigint;
  /** 0 means an exact log. */
  readonly resolutionUs: bigint;
}

export interface ModelFixedWindow extends Common {
  readonly kind: "fixed-window";
  readonly limit: bigint;
  readonly windowUs: bigint;
  readonly anchor: "clock" | "first-use";
}

export type ModelZone = "UTC" | "Asia/Kolkata" | "Europe/Berlin" | "America/New_York" | "Pacific/Apia";
export type ModelCalendarUnit = "day" | "week" | "month" | "year";

export interface ModelCalendarWindow extends Common {
  readonly kind: "calendar-window";
  readonly limit: bigint;
  readonly window: ModelCalendarUnit;
  readonly timeZone: ModelZone;
}

export type ModelLimit = ModelTokenBucket | ModelSlidingWindow | ModelFixedWindow | ModelCalendarWindow;

/** The most units that one call can ever take. */
export function capacityOf(limit: ModelLimit): bigint {
  return limit.kind === "token-bucket" ? limit.capacity : limit.limit;
}

/** The cost of one call: a number, or a number for each unit. */
export type ModelCost = bigint | Readonly<Record<string, bigint>>;

/** How many of `unit` a call of `cost` takes where the limiter counts `units`. */
export function unitsOf(cost: ModelCost, unit: string, units: ReadonlySet<string>): bigint {
  if (typeof cost === "bigint") return units.size === 1 || unit === "requests" ? cost : 0n;
  return cost[unit] ?? 0n;
}
