import { describe, expect, it } from "vitest";
import { readPolicies, readRetryAfter, readUsedUp } from "../../src/limited-fetch/advertised.ts";
import { CpuTimer } from "../http/cpu-time.ts";

/** 2026-11-23 12:00:00 in UTC. */
const NOW_MS = Date.UTC(2026, 10, 23, 12);
const NOW_S = NOW_MS / 1_000;

type Fields = Readonly<Record<string, string>>;

/** Milliseconds until the reset of each limit that is used up; quotas by the seconds of their windows. */
type Said = readonly [usedUpMs: readonly number[], policies?: readonly (readonly [quota: number, seconds: number])[]];

const FORMS: readonly (readonly [name: string, headers: Fields, said: Said])[] = [
  [
    "draft 11",
    { "RateLimit-Policy": '"burst";q=100;w=60,"day";q=1000;w=86400', RateLimit: '"burst";r=50;t=30' },
    [
      [],
      [
        [100, 60],
        [1_000, 86_400],
      ],
    ],
  ],
  [
    "draft 8 with units and a partition",
    { "RateLimit-Policy": '"a";q=5;w=1;qu="tokens";pk=:YW5u:', RateLimit: '"a";r=0;t=1;pk=:YW5u:' },
    [[1_000]],
  ],
  ["draft 8 with units left", { RateLimit: '"a";r=3;t=1' }, [[]]],
  ["draft 8 of two limits", { RateLimit: '"a";r=0;t=1, "b";r=0;t=20' }, [[1_000, 20_000]]],
  [
    "draft 11 with other parameters",
    { "RateLimit-Policy": 'a_b.c-d*;x-1_2=?1;q=7;*y.z;w=10;n1="a;\\"w=5,"', RateLimit: '"a";x1=%"a";r=0;t=2' },
    [[2_000], [[7, 10]]],
  ],
  ["draft 7", { RateLimit: "limit=100, remaining=0, reset=5", "RateLimit-Policy": "100;w=10" }, [[5_000], [[100, 10]]]],
  [
    "draft 6",
    {
      "RateLimit-Limit": "100, 100;w=10",
      "RateLimit-Remaining": "0",
      "RateLimit-Reset": "3",
      "RateLimit-Policy": '100;w=10, 1000;w=60;comment="a, b"',
    },
    [
      [3_000],
      [
        [100, 10],
        [1_000, 60],
      ],
    ],
  ],
  ["the legacy form in seconds", { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "12" }, [[12_000]]],
  [
    "the legacy form of X-Rate-Limit",
    { "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": String(NOW_S + 900) },
    [[900_000]],
  ],
  [
    "GitHub",
    { "x-ratelimit-used": "5000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_S + 600) },
    [[600_000]],
  ],
  [
    "OpenAI",
    {
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-reset-tokens": "6m0s",
    },
    [[360_000]],
  ],
  [
    "OpenAI, in milliseconds",
    { "x-ratelimit-remaining-tokens_5m": "0", "x-ratelimit-reset-tokens_5m": "8.64s" },
    [[8_640]],
  ],
  [
    "Anthropic",
    {
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "2026-11-23T12:00:42Z",
      "anthropic-ratelimit-input-tokens-remaining": "39000",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-23T12:01:00Z",
    },
    [[42_000]],
  ],
  [
    "Cloudflare",
    { Ratelimit: '"default";r=0;t=30', "Ratelimit-Policy": '"burst";q=1200;w=300' },
    [[30_000], [[1_200, 300]]],
  ],
  ["a limit without a reset", { "X-RateLimit-Remaining": "0" }, [[0]]],
  ["Stripe", { "Stripe-Rate-Limited-Reason": "global-rate" }, [[]]],
];

describe("what a response advertises", () => {
  it.each(FORMS)("%s", (_name, fields, [usedUpMs, policies = []]) => {
    const headers = new Headers(fields);
    expect(readUsedUp(headers, NOW_MS)).toEqual(usedUpMs);
    expect(readPolicies(headers).map(({ quota, windowMs }) => [quota, windowMs / 1_000])).toEqual(policies);
  });

  it.each([
    "",
    "nonsense",
    '"a";r=x;t=',
    '"a;r=5',
    ";;;===",
    "limit=, remaining=many",
    '"a";r=-1;q=-1;w=-1',
    '"a";r=99999999999999999999;q=99999999999999999999;w=1',
    '"a";r=0;t=5;q=5;w=5 "b"',
    '"a";R=0;t=5;Q=5;w=5',
    '"a";q=0;w=5, "b";q=5;w=0, "c";q=5, "d";q=1000001;w=5, "e";q=5;w=2678401, "f";q="5";w=5',
    ",".repeat(5_000),
    '"'.repeat(5_000),
    `"a"${";r=1".repeat(3_000)}`,
    `"a"${";b=".repeat(3_000)}`,
    `"${"\\\\".repeat(5_000)}`,
  ])("says nothing where it is not understood: %j", (text) => {
    const timer = new CpuTimer();
    const headers = new Headers({ RateLimit: text, "RateLimit-Policy": text });
    expect([readUsedUp(headers, NOW_MS), readPolicies(headers)]).toEqual([[], []]);
    expect(timer.elapsedMs).toBeLessThan(1_000);
  });

  it("tells of sixteen limits at most", () => {
    const many = new Headers();
    for (let i = 0; i < 100; i += 1) many.set(`x-ratelimit-remaining-${i}`, "0");
    expect(readUsedUp(many, NOW_MS).length).toBe(16);
    expect(readUsedUp(new Headers({ RateLimit: '"a";r=0;t=1,'.repeat(100) }), NOW_MS).length).toBe(16);
    expect(readPolicies(new Headers({ "RateLimit-Policy": '"a";q=1;w=1,'.repeat(100) })).length).toBe(16);
  });
});

describe("Retry-After", () => {
  it.each([
    ["120", 120_000],
    ["0", 0],
    ["1.5", 1_500],
    ["Mon, 23 Nov 2026 12:00:30 GMT", 30_000],
    ["Mon, 23 Nov 2026 11:00:00 GMT", 0],
    ["soon", 0],
    ["-5", 0],
    ["", 0],
    ["2026", 2_026_000],
  ])("%j asks for %s ms", (text, ms) => {
    expect(readRetryAfter(new Headers({ "Retry-After": text }), NOW_MS)).toBe(ms);
  });

  it("is absent", () => {
    expect(readRetryAfter(new Headers(), NOW_MS)).toBe(0);
  });
});
