import { runInNewContext } from "node:vm";
import { createLimiter, type Limit, tokenBucket } from "tollgate";
import { type RateLimitOptions, rateLimit } from "tollgate/fetch";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { optionsOf, rowsOf } from "./page.ts";

// express-slow-down and nginx are not run: the tests compute what their documents say.

const PAGE = "from-express-slow-down.md";
const START_MS = 1_790_000_000_000;

/** When a request passes, in milliseconds after it came. */
type Delay = number | "denied";

/** Sends requests at these times to a handler behind the options of a cell. */
async function delaysOf(cell: string, arrivalsMs: readonly number[]): Promise<Delay[]> {
  const clock = manualClock(START_MS);
  const { limits, ...options } = optionsOf(cell, { tokenBucket }) as Omit<RateLimitOptions<unknown>, "limiter"> & {
    limits: Limit[];
  };
  const limiter = createLimiter({ key: () => "one", limits, clock });
  const handle = rateLimit({ ...options, limiter })((_request: Request, passed: () => void) => {
    passed();
    return new Response("well");
  });
  const delays: Delay[] = arrivalsMs.map(() => "denied");
  const asked: Promise<Response>[] = [];
  for (const [index, arrivalMs] of arrivalsMs.entries()) {
    for (let nowMs = clock.now(); nowMs < START_MS + arrivalMs; nowMs = clock.now()) await tick(clock);
    const passed = () => {
      delays[index] = clock.now() - START_MS - arrivalMs;
    };
    asked.push(handle(new Request("https://example.com/"), passed));
  }
  for (let i = 0; i < 8_000; i += 1) await tick(clock);
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses).toEqual(delays.map((delay) => (delay === "denied" ? (options.status ?? 429) : 200)));
  return delays;
}

/** A handler runs some turns after its request was admitted. */
async function tick(clock: ReturnType<typeof manualClock>): Promise<void> {
  clock.advance(1);
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

/** The leaky bucket of `limit_req`, in thousandths of a request. */
function nginxDelays(directive: string, ratePerSecond: number, arrivalsMs: readonly number[]): Delay[] {
  const [, burst = "0"] = /burst=(\d+)/.exec(directive) ?? [];
  const [, after = directive.includes("nodelay") ? burst : "0"] = /delay=(\d+)/.exec(directive) ?? [];
  let excess = 0;
  let lastMs: number | undefined;
  return arrivalsMs.map((nowMs): Delay => {
    const more = lastMs === undefined ? 0 : Math.max(0, excess - ratePerSecond * (nowMs - lastMs) + 1_000);
    if (more > Number(burst) * 1_000) return "denied";
    [excess, lastMs] = [more, nowMs];
    return Math.max(0, more - Number(after) * 1_000) / ratePerSecond;
  });
}

/** The delays of requests that come at once, as express-slow-down documents them. */
function slowDownDelays(cell: string, count: number): Delay[] {
  const given = runInNewContext(`({ ${cell.split("`")[1]} })`) as {
    delayAfter: number;
    delayMs?: (used: number) => number;
    maxDelayMs?: number;
  };
  const { delayAfter, delayMs = (used) => (used - delayAfter) * 1_000, maxDelayMs = Number.POSITIVE_INFINITY } = given;
  return Array.from({ length: count }, (_, index) => {
    const used = index + 1;
    return used > delayAfter ? Math.min(delayMs(used), maxDelayMs) : 0;
  });
}

const BURST = [0, 0, 0, 0, 0, 0, 0, 0];
const SPREAD = [0, 0, 100, 350, 900, 901, 902, 903, 904, 905, 2_000, 2_500, 2_501, 9_000, 9_000, 9_001, 9_300, 9_900];

const ROWS = rowsOf(PAGE);

describe(`docs/${PAGE}`, () => {
  const directives = ROWS.filter(({ theirs }) => theirs.startsWith("`limit_req zone"));

  it.each(directives)("delays and denies as nginx does: $theirs", async ({ theirs, ours }) => {
    for (const arrivals of [BURST, SPREAD]) {
      expect(await delaysOf(ours, arrivals)).toEqual(nginxDelays(theirs, 2, arrivals));
    }
  });

  const options = ROWS.filter(({ theirs, ours }) => theirs.startsWith("`delayAfter") && ours.startsWith("`limits: ["));

  it.each(options)("delays a burst as express-slow-down does: $theirs", async ({ theirs, ours }) => {
    const delays = await delaysOf(ours, BURST);
    const expected = slowDownDelays(theirs, BURST.length);
    const most = theirs.includes("maxDelayMs") ? Math.max(...(expected as number[])) : Number.POSITIVE_INFINITY;
    const isBeyond = (index: number) => expected.slice(0, index).includes(most);
    expect(delays).toEqual(expected.map((delay, index) => (isBeyond(index) ? "denied" : delay)));
  });

  it("has rows of both", () => expect([directives.length, options.length]).toEqual([4, 3]));

  it("denies beyond `maxWait`, and delays a client that waits for each answer by the same time", async () => {
    const [, after = ""] = ROWS.map(({ ours }) => ours);
    expect(await delaysOf(after.replace("1d", "2s"), [0, 0, 0, 0])).toEqual([0, 1_000, 2_000, "denied"]);
    expect(await delaysOf(after, [0, 0, 1_000, 2_000, 3_000])).toEqual([0, 1_000, 1_000, 1_000, 1_000]);
  });
});
