import type PQueue from "p-queue";

/** Calls that wait in one process, and the lines in which they do. */
export interface Line {
  readonly calls: number;
  /** Calls come for one key after another, and all over again. */
  readonly keys: number;
  /** How long a key is exhausted. Longer than the bench takes to make the calls and to weigh them. */
  readonly holdMs: number;
}

/** Keys whose calls come only after a time, and the calls that wait for them. */
export interface Contender {
  /** Exhausts a key, so that all later calls wait. */
  exhaust(key: string): void | Promise<void>;
  /** Asks for one unit of a key, and resolves when it is the call's turn. */
  wait(key: string, signal: AbortSignal | undefined): Promise<unknown>;
  /** Whether this many calls stand in line; absent where a call does as soon as it is made. */
  hasInLine?(calls: number): boolean;
  /**
   * Lets the calls go, if time does not: then they go `holdMs` after their key was exhausted. Every call that waits may
   * go at once.
   */
  release?(): void;
  /** Whether this result of `wait` says that the call may go. */
  admits?(answer: unknown): boolean;
}

export type CreateContender = (line: Line) => Contender;

export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly family: "tollgate" | "rival";
  /** Whether each call has a signal that would end its wait. */
  readonly signals: boolean;
  /** The part of calls and keys with which it is measured. */
  readonly part: number;
  readonly load: () => Promise<CreateContender>;
}

/** The most that a limit may give back: nine units a microsecond. */
const UNITS_A_MS = 9_000;

/** The work that a rival does for a call: none. */
const go = (): true => true;

async function tollgate(): Promise<CreateContender> {
  const { createLimiter, tokenBucket } = await import("tollgate");
  return ({ calls, holdMs }) => {
    const limits = [tokenBucket({ capacity: calls, refill: UNITS_A_MS * 1_000, per: "1s" })];
    const limiter = createLimiter({ limits, maxWaiting: calls });
    return {
      // The key is in debt for as long as the bucket takes to give all this back.
      exhaust: (key) => void limiter.charge(key, calls + UNITS_A_MS * holdMs),
      wait: (key, signal) => (signal === undefined ? limiter.wait(key) : limiter.wait(key, 1, { signal })),
      admits: (answer) => (answer as { readonly allowed: boolean }).allowed,
    };
  };
}

/** A queue for each key. */
async function pQueue(): Promise<CreateContender> {
  const { default: Queue } = await import("p-queue");
  return ({ calls, holdMs }) => {
    const queues = new Map<string, PQueue>();
    return {
      exhaust: (key) => void queues.set(key, new Queue({ interval: holdMs, intervalCap: calls, autoStart: false })),
      wait: (key, signal) => queues.get(key)!.add(go, signal === undefined ? {} : { signal }),
      release() {
        for (const queue of queues.values()) queue.start();
      },
    };
  };
}

/** A function for each key. A call has a weight, so that one call exhausts it. */
async function pThrottle(): Promise<CreateContender> {
  const { default: throttle } = await import("p-throttle");
  return ({ calls, holdMs }) => {
    const throttled = new Map<string, (units: number) => unknown>();
    const limited = () => throttle({ limit: calls, interval: holdMs, weight: (units: number) => units })(go);
    return {
      async exhaust(key) {
        throttled.set(key, limited());
        await throttled.get(key)!(calls);
      },
      // Its type says that the function's own result is returned, which is a promise for it.
      wait: (key) => throttled.get(key)!(1) as Promise<true>,
    };
  };
}

/** Its group makes a limiter for each key. */
async function bottleneck(): Promise<CreateContender> {
  const { default: Bottleneck } = await import("bottleneck");
  return ({ calls }) => {
    const group = new Bottleneck.Group({ reservoir: 0 });
    const all = () => group.limiters().map(({ limiter }) => limiter);
    const work = async () => true;
    return {
      exhaust: (key) => void group.key(key),
      wait: (key) => group.key(key).schedule(work),
      hasInLine: (count) => all().reduce((sum, limiter) => sum + limiter.queued(), 0) === count,
      release() {
        for (const limiter of all()) void limiter.incrementReservoir(calls);
      },
    };
  };
}

async function rateLimiterFlexible(): Promise<CreateContender> {
  const { RateLimiterMemory, RateLimiterQueue } = await import("rate-limiter-flexible");
  return ({ calls, holdMs }) => {
    const limiter = new RateLimiterMemory({ points: calls, duration: holdMs / 1_000 });
    const queue = new RateLimiterQueue(limiter);
    return {
      exhaust: async (key) => void (await limiter.consume(key, calls)),
      wait: (key) => queue.removeTokens(1, key),
    };
  };
}

/** In the order of the page's rows. Of the rivals, only p-queue has a signal for each call. */
export const ENTRIES: readonly Entry[] = [
  { ...entry("tollgate", tollgate), name: "Tollgate memory", family: "tollgate" },
  { ...entry("tollgate-signals", tollgate), name: "Tollgate memory, signals", family: "tollgate", signals: true },
  entry("p-queue", pQueue),
  { ...entry("p-queue-signals", pQueue), name: "p-queue, signals", signals: true },
  entry("p-throttle", pThrottle),
  { ...entry("rate-limiter-flexible", rateLimiterFlexible), name: "rate-limiter-flexible, queue" },
  { ...entry("bottleneck", bottleneck), name: "bottleneck, a twentieth of the calls", part: 0.05 },
];

function entry(id: string, load: Entry["load"]): Entry {
  return { id, name: id, family: "rival", signals: false, part: 1, load };
}
