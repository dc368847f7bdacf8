import { createLimiter, type Limit, memoryStore, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { used } from "./set-up.ts";

describe("the identity of a bucket", () => {
  it("is the name of the limiter and the limit's name, unit and numbers, without the mode", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const named = (limits: Limit[], name = "api") => createLimiter({ name, limits, clock, store });
    named([perSecond(2)]).allow("a", 2);
    expect(named([perSecond(2)]).allow("a")).toBe(false);
    expect(used(named([perSecond(2, { mode: "shadow" })]))).toEqual([2]);
    expect(named([perSecond(2)], "other").allow("a")).toBe(true);
    expect(named([perSecond(2, { name: "renamed" })]).allow("a")).toBe(true);
    expect(named([perSecond(3)]).allow("a")).toBe(true);
    expect(named([perSecond(2, { unit: "tokens" })]).allow("a")).toBe(true);
    expect(named([perSecond(2, { initial: "empty" })]).allow("a")).toBe(false);
  });
});
