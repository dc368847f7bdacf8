import { createLimiter, perSecond } from "tollgate";
import { hotKeys } from "tollgate/metrics";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { setUp } from "./set-up.ts";
import { countsOf, seededRandom, zipfStream } from "./streams.ts";

describe("hot keys", () => {
  it.each(["allow", "consume", "handle", "allowMany"] as const)(
    "are projected from calls that are chosen at random: %s",
    (verb) => {
      vi.spyOn(Math, "random").mockImplementation(seededRandom(11));
      const { limiter } = setUp(1_000_000);
      const [every16th, every64th] = [hotKeys(limiter, { sample: 16 }), hotKeys(limiter, { sample: 64 })];
      const stream = zipfStream(100_000, 1_000, 1.1, seededRandom(3));
      const handles = new Map(stream.map((key) => [key, limiter.handle(key)]));
      const batch = new Uint8Array(10);
      for (const [i, key] of stream.entries()) {
        if (verb === "handle") handles.get(key)!.allow();
        else if (verb !== "allowMany") limiter[verb](key);
        else if (i % batch.length === 0) limiter.allowMany(stream.slice(i, i + batch.length), batch);
      }
      const exact = countsOf(stream);
      for (const [hot, sample] of [[every16th, 16] as const, [every64th, 64] as const]) {
        expect(hot.active()).toHaveLength(10);
        for (const { key, count, error } of hot.active().slice(0, 5)) {
          const fourErrors = 4 * Math.sqrt(exact.get(key)! * sample);
          expect(Math.abs(count - exact.get(key)!)).toBeLessThan(fourErrors + error);
        }
      }
    },
  );

  it("do not depend on the order of calls: a caller that takes turns with another gets no more and no less", () => {
    vi.spyOn(Math, "random").mockImplementation(seededRandom(4));
    const { limiter } = setUp(1_000_000);
    const hot = hotKeys(limiter, { sample: 16 });
    for (let i = 0; i < 64_000; i += 1) limiter.allow(i % 16 === 0 ? "every-16th" : "others");
    const [others, regular] = hot.active();
    expect(Math.abs(others!.count - 60_000)).toBeLessThan(4 * Math.sqrt(60_000 * 16));
    expect(Math.abs(regular!.count - 4_000)).toBeLessThan(4 * Math.sqrt(4_000 * 16));
  });

  it("mask nothing for calls that are not chosen", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999_999);
    const clock = manualClock(START_MS);
    const key = vi.fn<(input: string) => string>((input) => input);
    const limiter = createLimiter({ key, limits: [perSecond(9)], clock });
    const mask = vi.fn<(text: string) => string>((text) => text);
    hotKeys(limiter, { sample: 10_000, mask });
    for (let i = 0; i < 100; i += 1) limiter.allow("a");
    expect(mask).not.toHaveBeenCalled();
    expect(key).toHaveBeenCalledTimes(100);
  });
});
