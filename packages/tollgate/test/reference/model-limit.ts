/** The limits that the reference model knows. Every time is a whole number of microseconds. */

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
  /** How long a bucket that began empty is remembered after it has filled. Unused by those that begin full. */
  readonly idleTtlUs: bigint;
}

export interface ModelSlidingWindow extends Common {
  readonly kind: "sliding-window";
  readonly limit: bigint;
  readonly windowUs: bigint;
  /** 0: an exact log. */
  readonly resolutionUs: bigint;
}

export interface ModelFixedWindow extends Common {
  readonly kind: "fixed-window";
  readonly limit: bigint;
  readonly windowUs: bigint;
  readonly anchor: "clock" | "first-use";
}

export type ModelLimit = ModelTokenBucket | ModelSlidingWindow | ModelFixedWindow;

/** The most units that one call can ever take. */
export function capacityOf(limit: ModelLimit): bigint {
  return limit.kind === "token-bucket" ? limit.capacity : limit.limit;
}
