import { describe, expect, it } from "vitest";
import { readAdvertised, readRetryAfter } from "../../src/client/advertised.ts";

/** 2026-11-23 12:00:00 in UTC. */
const NOW_MS = Date.UTC(2026, 10, 23, 12);
const NOW_S = NOW_MS / 1_000;

type Fields = Readonly<Record<string, string>>;

/** Remaining units, milliseconds until the reset, quota, milliseconds of the window. */
type Said = readonly (readonly [number?, number?, number?, number?])[];

const FORMS: readonly (readonly [name: string, headers: Fields, said: Said])[] = [
  [
    "draft 11",
    { "RateLimit-Policy": '"burst";q=100;w=60,"day";q=1000;w=86400', RateLimit: '"burst";r=50;t=30' },
    [[50, 30_000, 100, 60_000]],
  ],
  [
    "draft 8 with units and a partition",
    { "RateLimit-Policy": '"a";q=5;w=1;qu="tokens";pk=:YW5u:', RateLimit: '"a";r=0;t=1;pk=:YW5u:' },
    [[0, 1_000, 5, 1_000]],
  ],
  ["draft 8 without a policy", { RateLimit: '"a";r=3' }, [[3]]],
  [
    "draft 8 of two limits",
    { "RateLimit-Policy": '"a";q=5;w=1, "b";q=9;w=60', RateLimit: '"a";r=4;t=1, "b";r=0;t=20' },
    [
      [4, 1_000, 5, 1_000],
      [0, 20_000, 9, 60_000],
    ],
  ],
  [
    "draft 7",
    { RateLimit: "limit=100, remaining=50, reset=5", "RateLimit-Policy": "100;w=10" },
    [[50, 5_000, 100, 10_000]],
  ],
  [
    "draft 6",
    {
      "RateLimit-Limit": "100, 100;w=10",
      "RateLimit-Remaining": "7",
      "RateLimit-Reset": "3",
      "RateLimit-Policy": "100;w=10",
    },
    [[7, 3_000, 100, 10_000]],
  ],
  [
    "the legacy form in seconds",
    { "X-RateLimit-Limit": "15", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "12" },
    [[0, 12_000, 15]],
  ],
  [
    "the legacy form of X-Rate-Limit",
    { "X-Rate-Limit-Limit": "15", "X-Rate-Limit-Remaining": "2", "X-Rate-Limit-Reset": String(NOW_S + 900) },
    [[2, 900_000, 15]],
  ],
  [
    "GitHub",
    {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-used": "5000",
      "x-ratelimit-reset": String(NOW_S + 600),
      "x-ratelimit-resource": "core",
    },
    [[0, 600_000, 5_000]],
  ],
  [
    "OpenAI",
    {
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-limit-tokens": "150000",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-reset-tokens": "6m0s",
    },
    [
      [59, 1_000, 60],
      [0, 360_000, 150_000],
    ],
  ],
  [
    "OpenAI, in milliseconds",
    { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "8.64s" },
    [[0, 8_640]],
  ],
  [
    "Anthropic",
    {
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "2026-11-23T12:00:42Z",
      "anthropic-ratelimit-input-tokens-limit": "40000",
      "anthropic-ratelimit-input-tokens-remaining": "39000",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-23T12:01:00Z",
    },
    [
      [39_000, 60_000, 40_000],
      [0, 42_000, 50],
    ],
  ],
  ["Cloudflare", { Ratelimit: '"default";r=0;t=30', "Ratelimit-Policy": '"burst";q=1200;w=300' }, [[0, 30_000]]],
  ["Stripe", { "Stripe-Rate-Limited-Reason": "global-rate" }, []],
];

describe("what a response advertises", () => {
  it.each(FORMS)("%s", (_name, headers, said) => {
    const read = readAdvertised(new Headers(headers), NOW_MS);
    expect(read.map(({ remaining, resetMs, quota, windowMs }) => [remaining, resetMs, quota, windowMs])).toEqual(
      said.map(([remaining, resetMs, quota, windowMs]) => [remaining, resetMs, quota, windowMs]),
    );
  });

  it.each([
    "",
    "nonsense",
    '"a";r=x;t=',
    '"a;r=5',
    ";;;===",
    "limit=, remaining=many",
    '"a";r=-1',
    '"a";r=99999999999999999999',
    ",".repeat(5_000),
    '"'.repeat(5_000),
    `"a"${";r=1".repeat(3_000)}`,
  ])("says nothing that blocks where it is not understood: %j", (text) => {
    const startMs = performance.now();
    const read = readAdvertised(new Headers({ RateLimit: text, "RateLimit-Policy": text }), NOW_MS);
    expect(read.filter(({ remaining, resetMs }) => remaining === 0 && (resetMs ?? 0) > 0)).toEqual([]);
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });

  it("tells of sixteen limits at most", () => {
    const many = new Headers();
    for (let i = 0; i < 100; i += 1)
      many.set(`x-ratelimit-remaining-${"a".repeat((i % 26) + 1)}-${"b".repeat(i)}`.slice(0, 90), "0");
    expect(readAdvertised(many, NOW_MS).length).toBeLessThanOrEqual(16);
    expect(readAdvertised(new Headers({ RateLimit: '"a";r=0;t=1,'.repeat(100) }), NOW_MS).length).toBe(16);
  });
});

describe("Retry-After", () => {
  it.each([
    ["120", 120_000],
    ["0", 0],
    ["1.5", 1_500],
    ["Mon, 23 Nov 2026 12:00:30 GMT", 30_000],
    ["Mon, 23 Nov 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-5", undefined],
    ["", undefined],
    ["2026", 2_026_000],
  ])("%j asks for %s ms", (text, ms) => {
    expect(readRetryAfter(new Headers({ "Retry-After": text }), NOW_MS)).toBe(ms);
  });

  it("is absent", () => {
    expect(readRetryAfter(new Headers(), NOW_MS)).toBeUndefined();
  });
});
