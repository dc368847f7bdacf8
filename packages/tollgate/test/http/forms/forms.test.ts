import { parseRateLimit } from "ratelimit-header-parser";
import { parseList } from "structured-headers";
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  perHour,
  perMinute,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { type HttpFacts, type RateLimitOptions, rateLimit } from "tollgate/fetch";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";

/** Between two requests. Headers round seconds up. */
const STEP_MS = 900;

type Options = Omit<RateLimitOptions<HttpFacts>, "limiter" | "input">;
type Told = Readonly<Record<string, string>>;

/** What the responses to requests in turn say about limits. */
async function toldBy(limits: readonly Limit[], options: Options, requests: number): Promise<Told[]> {
  const clock = manualClock(START_MS);
  const limiter = createLimiter({ key: (_facts: HttpFacts) => "all", limits, clock });
  const handle = rateLimit({ limiter, ...options })(() => new Response("hello"));
  const told: Told[] = [];
  for (let i = 0; i < requests; i += 1) {
    const { headers } = await handle(new Request("http://here.example"));
    told.push(Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry-after/.test(name))));
    clock.advance(STEP_MS);
  }
  return told;
}

const SLOW = tokenBucket({ name: "a", capacity: 10, refill: 1, per: "6s" });
const STREAMS = concurrency({ name: "streams", max: 1, ttl: "30s" });
const HUGE = fixedWindow({ name: "huge", limit: Number.MAX_SAFE_INTEGER, window: "1h" });
const MIXED: readonly Limit[] = [
  tokenBucket({ name: "burst", capacity: 10, refill: 3, per: "1s" }),
  slidingWindow({ name: "sliding", limit: 50, window: "1m" }),
  fixedWindow({ name: "fixed", limit: 40, window: "2h", unit: "tokens" }),
  perMinute(1, { name: "watched", mode: "shadow" }),
];
const PLACE_POLICY = '"streams";q=1;qu="concurrent-requests"';
const DRAFT_11 = { "ratelimit-policy": '"a";q=10;w=60', ratelimit: '"a";r=9;t=6' };

type Case = readonly [what: string, limits: readonly Limit[], options: Options, told: readonly Told[]];

const CASES: readonly Case[] = [
  ["draft 11 by default", [SLOW], {}, [DRAFT_11, { ...DRAFT_11, ratelimit: '"a";r=8;t=12' }]],
  ...(["draft-8", "draft-9", ["draft-10", "draft-11"]] as const).map(
    (headers): Case => [`${String(headers)} as draft 11`, [SLOW], { headers }, [DRAFT_11]],
  ),
  [
    "all enforcing limits, and the state of the binding one",
    MIXED,
    { cost: { requests: 1, tokens: 30 } },
    [
      {
        "ratelimit-policy": '"burst";q=10;w=4, "sliding";q=50;w=60, "fixed";q=40;w=7200;qu="tokens"',
        ratelimit: '"fixed";r=10;t=6400',
      },
    ],
  ],
  [
    "the limit with the longest wait to a denied client, and the same time in Retry-After",
    [perMinute(1, { name: "one" }), perHour(1, { name: "hourly" })],
    {},
    [
      { "ratelimit-policy": '"one";q=1;w=60, "hourly";q=1;w=3600', ratelimit: '"one";r=0;t=3600' },
      {
        "ratelimit-policy": '"one";q=1;w=60, "hourly";q=1;w=3600',
        ratelimit: '"hourly";r=0;t=3600',
        "retry-after": "3600",
      },
    ],
  ],
  [
    "when the same request would pass, not when the limit is idle",
    [perMinute(2, { name: "two" })],
    {},
    [
      { "ratelimit-policy": '"two";q=2;w=60', ratelimit: '"two";r=1;t=30' },
      { "ratelimit-policy": '"two";q=2;w=60', ratelimit: '"two";r=0;t=30' },
      { "ratelimit-policy": '"two";q=2;w=60', ratelimit: '"two";r=0;t=29', "retry-after": "29" },
    ],
  ],
  [
    "the partition",
    [SLOW],
    { partitionKey: () => "Zoë / 1" },
    [{ "ratelimit-policy": '"a";q=10;w=60;pk=:Wm/DqyAvIDE=:', ratelimit: '"a";r=9;t=6;pk=:Wm/DqyAvIDE=:' }],
  ],
  [
    "the largest integer of a structured header",
    [HUGE],
    {},
    [
      {
        "ratelimit-policy": '"huge";q=999999999999999;w=3600',
        ratelimit: '"huge";r=999999999999999;t=2800',
      },
    ],
  ],
  [
    "draft 7",
    [SLOW, perHour(100)],
    { headers: "draft-7" },
    [{ "ratelimit-policy": "10;w=60, 100;w=3600", ratelimit: "limit=10, remaining=9, reset=6" }],
  ],
  [
    "draft 6",
    [SLOW],
    { headers: "draft-6" },
    [
      {
        "ratelimit-policy": "10;w=60",
        "ratelimit-limit": "10",
        "ratelimit-remaining": "9",
        "ratelimit-reset": "6",
      },
    ],
  ],
  [
    "the legacy headers, with the reset in seconds since the epoch",
    [SLOW],
    { headers: "legacy" },
    [{ "x-ratelimit-limit": "10", "x-ratelimit-remaining": "9", "x-ratelimit-reset": "1790000007" }],
  ],
  [
    "several forms, with the newest form's header where two have the same name",
    [SLOW],
    { headers: ["legacy", "draft-6", "draft-11"] },
    [
      {
        ...DRAFT_11,
        "ratelimit-limit": "10",
        "ratelimit-remaining": "9",
        "ratelimit-reset": "6",
        "x-ratelimit-limit": "10",
        "x-ratelimit-remaining": "9",
        "x-ratelimit-reset": "1790000007",
      },
    ],
  ],
  [
    "no window and no reset of places in draft 11",
    [STREAMS],
    {},
    [
      { "ratelimit-policy": PLACE_POLICY, ratelimit: '"streams";r=0' },
      { "ratelimit-policy": PLACE_POLICY, ratelimit: '"streams";r=0', "retry-after": "30" },
    ],
  ],
  [
    "no policy of places in draft 7, which requires a window",
    [STREAMS, perMinute(60)],
    { headers: "draft-7" },
    [{ "ratelimit-policy": "60;w=60", ratelimit: "limit=1, remaining=0, reset=30" }],
  ],
  [
    "no policy of places in draft 6",
    [STREAMS],
    { headers: "draft-6" },
    [{ "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "30" }],
  ],
  [
    "when a place frees itself at the latest in the legacy form",
    [STREAMS],
    { headers: "legacy" },
    [
      { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1790000031" },
      {
        "retry-after": "30",
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1790000031",
      },
    ],
  ],
];

describe("the headers tell", () => {
  it.each(CASES)("%s", async (_what, limits, options, told) => {
    expect(await toldBy(limits, options, told.length)).toEqual(told);
  });

  it("what is left under the binding limit, not the least remainder of all limits", async () => {
    const clock = manualClock(START_MS);
    const limits = [tokenBucket({ capacity: 10, refill: 1, per: "1s" }), perHour(1_000, { name: "hourly" })];
    const limiter = createLimiter({ key: () => "all", limits, clock });
    limiter.charge(undefined, 700);
    clock.advance(1_000_000);
    const { headers } = await rateLimit({ limiter })(() => new Response())(new Request("http://here.example"));
    expect(headers.get("ratelimit")).toBe('"hourly";r=576;t=1524');
  });

  it("a partition of the greatest length whole", async () => {
    const key = "é".repeat(256);
    const [told] = await toldBy([SLOW], { partitionKey: () => key }, 1);
    const [[item, parameters] = []] = parseList(String(told?.["ratelimit"]));
    expect([item, parameters?.get("r"), parameters?.get("t")]).toEqual(["a", 9, 6]);
    expect(Buffer.from(parameters?.get("pk") as ArrayBuffer).toString()).toBe(key);
  });

  it.each([
    ["draft-7", "seconds"],
    ["draft-6", "seconds"],
    ["legacy", "unix"],
  ] as const)("a reader of headers the same: %s", async (headers, reset) => {
    const [told] = await toldBy([SLOW], { headers }, 1);
    const parsed = parseRateLimit(told as Record<string, string>, { reset });
    expect(parsed).toMatchObject({ limit: 10, remaining: 9 });
    if (headers === "legacy") expect(parsed?.reset).toEqual(new Date(1_790_000_007_000));
  });
});
