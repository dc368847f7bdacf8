import { createLimiter, type Limiter, perMinute } from "tollgate";
import { describe, expect, it } from "vitest";
import { LimiterSet } from "../src/limiter-set.ts";

describe("a set of limiters", () => {
  it("begins with each limiter once, with new ones before others end, and ends all", () => {
    const [a, b, c] = ["a", "b", "c"].map((name) => createLimiter({ name, limits: [perMinute(1)] })) as Limiter[];
    const events: string[] = [];
    const set = new LimiterSet([a!, b!]);
    const end = set.watch(({ name }) => {
      events.push(`begin ${name}`);
      return () => void events.push(`end ${name}`);
    });
    set.replace([a!, c!]);
    set.replace([a!, c!]);
    set.replace([b!]);
    end();
    set.replace([a!]);
    expect(events).toEqual(["begin a", "begin b", "begin c", "end b", "begin b", "end a", "end c", "end b"]);
  });
});
