import { fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";

export const ALGORITHMS = ["token bucket", "sliding window", "fixed window"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** What the playground shows: the numbers of the limits, and when calls arrive. */
export interface State {
  /** Units in a window, and units that a bucket refills in that time. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** The capacity of the bucket. */
  readonly burst: number;
  /** Whole milliseconds since the start, in order. */
  readonly arrivals: readonly number[];
}

/** The windows of the slider, in seconds. */
export const WINDOWS = [1, 2, 5, 10, 20, 30, 60, 300, 900, 3_600, 86_400] as const;
/** More do not fit into a link. */
export const MOST_ARRIVALS = 500;
export const MOST_UNITS = 100;

export const FIRST: State = { limit: 10, windowSeconds: 10, burst: 10, arrivals: [] };

/** The state as a part of a link. Arrivals at the same moment are written once: `9900x10,10100x10`. */
export function encodeState({ limit, windowSeconds, burst, arrivals }: State): string {
  const counts = new Map<number, number>();
  for (const at of arrivals) counts.set(at, (counts.get(at) ?? 0) + 1);
  const moments = [...counts].map(([at, count]) => (count === 1 ? `${at}` : `${at}x${count}`));
  return `limit=${limit}&window=${windowSeconds}&burst=${burst}&at=${moments.join(",")}`;
}

/** The state that a link has. What the link leaves out or has wrong is as at first. */
export function decodeState(text: string): State {
  const parts = new URLSearchParams(text.replace(/^#/, ""));
  const read = (name: string, otherwise: number, most: number) => {
    const value = Number(parts.get(name) ?? Number.NaN);
    return Number.isInteger(value) && value >= 1 && value <= most ? value : otherwise;
  };
  const limit = read("limit", FIRST.limit, MOST_UNITS);
  const arrivals = (parts.get("at") ?? "").split(",").flatMap((moment) => {
    const [, at, count = "1"] = /^(\d{1,12})(?:x(\d{1,3}))?$/.exec(moment) ?? [];
    return at === undefined ? [] : Array.from({ length: Number(count) }, () => Number(at));
  });
  return {
    limit,
    windowSeconds: read("window", FIRST.windowSeconds, 86_400),
    burst: read("burst", limit, MOST_UNITS),
    arrivals: arrivals.sort((one, other) => one - other).slice(0, MOST_ARRIVALS),
  };
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** A duration as the library reads it, such as `15m`. */
export function durationOf(seconds: number): string {
  const [unit, length] = UNITS.find(([, one]) => seconds % one === 0) ?? ["s", 1];
  return `${seconds / length}${unit}`;
}

type Numbers = Omit<State, "arrivals">;

export function limitOf(algorithm: Algorithm, { limit, windowSeconds, burst }: Numbers): Limit {
  const window = `${windowSeconds}s` as const;
  switch (algorithm) {
    case "token bucket":
      return tokenBucket({ capacity: burst, refill: limit, per: window });
    case "sliding window":
      return slidingWindow({ limit, window });
    case "fixed window":
      return fixedWindow({ limit, window });
    default:
      return algorithm satisfies never;
  }
}

/** The program that makes this limit. */
export function codeOf(algorithm: Algorithm, { limit, windowSeconds, burst }: Numbers): string {
  const [name = "", last = ""] = algorithm.split(" ");
  const maker = `${name}${last.charAt(0).toUpperCase()}${last.slice(1)}`;
  const window = `"${durationOf(windowSeconds)}"`;
  const numbers =
    algorithm === "token bucket"
      ? `capacity: ${burst}, refill: ${limit}, per: ${window}`
      : `limit: ${limit}, window: ${window}`;
  return `import { createLimiter, ${maker} } from "tollgate";

const limiter = createLimiter({ limits: [${maker}({ ${numbers} })] });
console.log(limiter.allow("ann"));
`;
}
