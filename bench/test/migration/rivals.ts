import { Redis } from "ioredis";
import { createLimiter, type Limit, type Limiter, memoryStore, perMinute, slidingWindow } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { type RedisStoreOptions, redisStore } from "tollgate/redis";
import { manualClock } from "tollgate/testing";
import { expect, it, vi } from "vitest";
import { optionsOf, type Row, sameRowsOf } from "./page.ts";

/** A request, as a test sends it. */
export interface Asked {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends a request to an application behind a limit. `/fail` answers 401, other paths 200. */
export type Ask = (asked?: Asked) => Promise<Answer>;

export async function statusesOf(ask: Ask, asked: readonly Asked[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const one of asked) statuses.push((await ask(one)).status);
  return statuses;
}

/** What each limit has counted of the one client that a test is, without what has leaked since. */
export function unitsUsed(limiter: Limiter<HttpFacts>): number[] {
  const statuses = limiter.byKey("127.0.0.1").explain();
  return statuses.map(({ used }) => Math.round(used));
}

type Options = Readonly<Record<string, unknown>>;

/** The options that belong to the limiter, and those of its adapter. */
export function splitOptions({ key, limits, store, ...adapter }: Options): [limiter: Options, adapter: Options] {
  const limiter = { key, limits, store };
  return [Object.fromEntries(Object.entries(limiter).filter(([, value]) => value !== undefined)), adapter];
}

const PATHS = ["/", "/", "/", "/fail", "/fail", "/health"];

/** Tests that each row of options gives the same answers. While it runs, the system's clock stands still. */
export function itBehavesTheSame(
  page: string,
  names: Options,
  theirs: (options: Options) => Promise<Ask>,
  ours: (options: Options) => Promise<Ask>,
): void {
  const behaviour = async ({ make, cell, other }: { make: typeof theirs; cell: string; other: string }) => {
    const ask = await make(optionsOf(cell.replace(/, the default$/, ""), names));
    const seen: unknown[] = [];
    for (const [index, path] of PATHS.entries()) {
      const { status, headers } = await ask({ path, headers: { "x-api-key": index === 1 ? "bob" : "ann" } });
      const limits = Object.entries(headers).filter(([name]) => /^(?:x-)?ratelimit/.test(name));
      seen.push(`${cell}${other}`.includes('eaders: "') ? { status, ...Object.fromEntries(limits) } : status);
    }
    return seen;
  };

  it.each<Row>(sameRowsOf(page))("$ours does what theirs does: $theirs", async (row) => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const expected = await behaviour({ make: theirs, cell: row.theirs, other: row.ours });
    const seen = await behaviour({ make: ours, cell: row.ours, other: row.theirs });
    expect(seen).toEqual(expected);
  });
}

/** A client whose server refuses connections. It gives up at once: by default ioredis would try for a minute. */
export function deadRedis(): Redis {
  const client = new Redis(1, "127.0.0.1", { enableOfflineQueue: false, retryStrategy: () => null });
  client.on("error", () => {});
  return client;
}

/** A store without a server, as a page shows it. */
export function deadStore(options: Omit<RedisStoreOptions, "client"> = {}) {
  return redisStore({ client: deadRedis(), connectTimeout: 0, warnings: false, ...options });
}

/** How many of ten requests a second a limit of ten a minute admits in a minute. */
function admittedBy(limit: Limit): number {
  const clock = manualClock(0);
  const limiter = createLimiter({ limits: [limit], clock });
  let admitted = 0;
  for (let second = 0; second < 60; second += 1) {
    for (let i = 0; i < 10; i += 1) if (limiter.allow("ann")) admitted += 1;
    clock.advance(1_000);
  }
  return admitted;
}

/** `ask` is behind ten a minute of theirs. */
export async function expectBucketsAndWindows(ask: () => Promise<boolean>): Promise<void> {
  expect([admittedBy(perMinute(10)), admittedBy(slidingWindow({ limit: 10, window: "1m" }))]).toEqual([19, 10]);
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: 0 });
  let admitted = 0;
  for (const [now, calls] of [
    [0, 1],
    [59_999, 10],
    [60_000, 11],
  ] as const) {
    vi.setSystemTime(now);
    for (let i = 0; i < calls; i += 1) if (await ask()) admitted += 1;
  }
  expect(admitted).toBe(20);
}

export type OnFailure = NonNullable<RedisStoreOptions["onFailure"]>;

export function expectBoundedMemory(): void {
  expect(memoryStore()).toMatchObject({ maxKeys: 1_000_000, maxBytes: 256 * 2 ** 20 });
  const limiter = createLimiter({ limits: [perMinute(1)], store: memoryStore({ maxKeys: 2, warnings: false }) });
  limiter.allow("ann");
  for (let i = 0; i < 9; i += 1) limiter.allow(`flood ${i}`);
  expect(limiter.allow("ann")).toBe(false);
}
