import { beforeAll, describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { takeAgainst, type VersionTally } from "./kit/versions.ts";

const inUse = useRedis();
const SECONDS = 10;
const RATES = { bucket: [20, 50], sliding: [40, 100], fixed: [40, 100] } as const;
const KINDS = ["bucket", "sliding", "fixed"] as const;

describe(`two processes with other numbers of the same limit, against each other for ${SECONDS} s`, () => {
  const tallies = new Map<string, readonly VersionTally[]>();
  beforeAll(async () => {
    const { port } = inUse.redis.server;
    const play = async (kind: (typeof KINDS)[number]) => {
      const orders = { port, prefix: `versions-${kind}`, kind, seconds: SECONDS };
      tallies.set(kind, await takeAgainst(RATES[kind].map((capacity) => ({ ...orders, capacity }))));
    };
    await Promise.all(KINDS.map(play));
  });

  it.each(KINDS)("are admitted no more than the larger limit: %s", (kind) => {
    const both = tallies.get(kind)!;
    const admitted = both.reduce((sum, tally) => sum + tally.admitted, 0);
    const [, larger] = RATES[kind];
    const elapsedMs = Math.max(...both.map(({ untilMs }) => untilMs)) - Math.min(...both.map(({ fromMs }) => fromMs));
    // A bucket refills its capacity in a second, and windows last a second: the first one may begin before the calls.
    const bound = kind === "bucket" ? larger * (1 + elapsedMs / 1_000) : larger * (Math.ceil(elapsedMs / 1_000) + 1);
    expect(admitted).toBeLessThanOrEqual(bound);
    // Both processes got their share of it, and asked for much more.
    expect(admitted).toBeGreaterThan(larger);
    for (const { asked, degraded } of both) expect([asked > 5 * larger, degraded]).toEqual([true, 0]);
  });
});
