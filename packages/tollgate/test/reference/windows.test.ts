import { describe, expect, it } from "vitest";
import { fixed, model, sliding } from "./sample-limits.ts";

describe("the model's sliding window", () => {
  it("holds at most its limit in any window", () => {
    const m = model(sliding());
    expect(m.apply("take", "k", 0n, 1n)).toMatchObject({
      allowed: true,
      remaining: 2n,
      resetUs: 100n,
    });
    expect(m.apply("take", "k", 40n, 2n)).toMatchObject({
      allowed: true,
      remaining: 0n,
      resetUs: 100n,
    });
    expect(m.apply("take", "k", 60n, 1n)).toMatchObject({
      retryAfterUs: 40n,
      usedAfterRetry: 2n,
      resetUs: 80n,
    });
    expect(m.apply("take", "k", 60n, 2n)).toMatchObject({
      retryAfterUs: 80n,
      usedAfterRetry: 0n,
    });
    expect(m.apply("take", "k", 60n, 4n)).toMatchObject({
      reason: "cost-over-capacity",
      usedAfterRetry: 0n,
    });
    expect(m.apply("take", "k", 99n, 1n).allowed).toBe(false);
    expect(m.apply("take", "k", 100n, 1n).allowed).toBe(true);
    expect(m.apply("take", "k", 139n, 1n).allowed).toBe(false);
    expect(m.apply("take", "k", 140n, 2n).allowed).toBe(true);
  });

  it("groups units that come within the resolution, which leave with the last of them", () => {
    const m = model(sliding({ limit: 10n, resolutionUs: 10n }));
    m.apply("take", "k", 0n, 1n);
    m.apply("take", "k", 9n, 1n);
    m.apply("take", "k", 10n, 1n);
    expect(m.explain("k", 100n, 0n)[0]?.used).toBe(3n);
    expect(m.explain("k", 108n, 0n)[0]?.used).toBe(3n);
    expect(m.explain("k", 109n, 0n)[0]?.used).toBe(1n);
    expect(m.explain("k", 110n, 0n)[0]?.used).toBe(0n);
  });

  it("refunds units of the newest groups, and none that has left", () => {
    const m = model(sliding({ limit: 5n }));
    m.apply("take", "k", 0n, 2n);
    m.apply("take", "k", 50n, 2n);
    m.apply("refund", "k", 60n, 3n); // leaves one unit, of the first group
    expect(m.explain("k", 60n, 0n)).toMatchObject([{ used: 1n, resetUs: 40n }]);
    m.apply("take", "k", 70n, 1n);
    m.apply("refund", "k", 100n, 5n); // the first group has left
    expect(m.explain("k", 100n, 0n)).toMatchObject([{ used: 0n, resetUs: 0n }]);
  });

  it("is idle after a refund of the last unit in use", () => {
    const m = model(sliding({ limit: 5n }));
    m.apply("take", "k", 0n, 2n);
    m.apply("take", "k", 70n, 1n);
    m.apply("refund", "k", 100n, 5n);
    expect(m.explain("k", 90n, 0n)[0]?.used).toBe(0n);
  });

  it("keeps the opening of a group that a refund emptied, and lets the next group take its place", () => {
    const m = model(sliding({ limit: 5n, resolutionUs: 10n }));
    m.apply("take", "k", 0n, 1n);
    m.apply("take", "k", 20n, 1n);
    m.apply("refund", "k", 21n, 1n);
    // The first group is closed since the second opened: 25 joins the second, opened at 20.
    m.apply("take", "k", 25n, 1n);
    expect(m.explain("k", 100n, 0n)[0]?.used).toBe(1n);
    expect(m.explain("k", 125n, 0n)[0]?.used).toBe(0n);
  });

  it("counts a unit that is taken after the clock went back at the time of the newest unit", () => {
    const m = model(sliding());
    m.apply("take", "k", 100n, 1n);
    m.apply("take", "k", 20n, 1n); // joins the group of 100
    expect(m.explain("k", 199n, 0n)[0]?.used).toBe(2n);
    expect(m.explain("k", 200n, 0n)[0]?.used).toBe(0n);
    expect(m.explain("k", 20n, 2n)[0]?.retryAfterUs).toBe(180n);
  });

  it("merges into the newest group when its ring is full", () => {
    // limit 1: a ring of 3. Charged groups at 0, 10, 20; 30 has to join 20.
    const m = model(sliding({ limit: 1n }));
    for (const nowUs of [0n, 10n, 20n, 30n]) m.apply("charge", "k", nowUs, 1n);
    expect(m.explain("k", 100n, 0n)[0]?.used).toBe(3n);
    expect(m.explain("k", 110n, 0n)[0]?.used).toBe(2n);
    expect(m.explain("k", 120n, 0n)[0]?.used).toBe(2n);
    expect(m.explain("k", 130n, 0n)[0]?.used).toBe(0n);
    // Number 3 needs number 1 (of 10) to have left: not at 109, but at 110.
    m.apply("charge", "k", 109n, 1n);
    expect(m.explain("k", 208n, 0n)[0]?.used).toBe(3n);
    m.apply("charge", "k", 110n, 1n);
    expect(m.explain("k", 208n, 0n)[0]?.used).toBe(4n);
    expect(m.explain("k", 209n, 0n)[0]?.used).toBe(1n);
  });

  it("does not count again what its ring has forgotten when the clock goes back", () => {
    const m = model(sliding({ limit: 1n }));
    for (const nowUs of [0n, 10n, 20n, 110n]) m.apply("charge", "k", nowUs, 1n);
    expect(m.explain("k", 50n, 0n)[0]?.used).toBe(2n);
  });

  it("is idle when no unit counts", () => {
    const m = model(sliding());
    m.apply("take", "k", 0n, 1n);
    m.sweep(99n);
    expect(m.size).toBe(1);
    m.sweep(100n);
    expect(m.size).toBe(0);
  });
});

describe("the model's fixed window", () => {
  it("on the clock is aligned to the epoch", () => {
    const m = model(fixed());
    expect(m.apply("take", "k", 250n, 2n)).toMatchObject({
      allowed: true,
      remaining: 1n,
      resetUs: 50n,
    });
    expect(m.apply("take", "k", 260n, 2n)).toMatchObject({
      retryAfterUs: 40n,
      usedAfterRetry: 0n,
      resetUs: 40n,
    });
    expect(m.apply("take", "k", 299n, 2n).allowed).toBe(false);
    expect(m.apply("take", "k", 300n, 2n)).toMatchObject({
      allowed: true,
      remaining: 1n,
      resetUs: 100n,
    });
  });

  it("anchored at first use begins with its first unit", () => {
    const m = model(fixed({ anchor: "first-use" }));
    m.apply("take", "k", 240n, 0n);
    expect(m.apply("take", "k", 250n, 2n)).toMatchObject({ resetUs: 100n });
    expect(m.apply("take", "k", 349n, 2n)).toMatchObject({
      allowed: false,
      retryAfterUs: 1n,
    });
    expect(m.apply("take", "k", 350n, 2n)).toMatchObject({
      allowed: true,
      resetUs: 100n,
    });
  });

  it.each(["clock", "first-use"] as const)(
    "anchored at %s keeps counting when the clock goes back, while it has a unit",
    (anchor) => {
      const m = model(fixed({ anchor }));
      m.apply("take", "k", 210n, 3n);
      const endUs = anchor === "clock" ? 300n : 310n;
      expect(m.apply("take", "k", 150n, 1n)).toMatchObject({
        allowed: false,
        retryAfterUs: endUs - 150n,
      });
      m.apply("refund", "k", 150n, 3n);
      expect(m.explain("k", 150n, 1n)).toMatchObject([{ used: 0n, resetUs: 0n }]);
      // It has no unit, so the next unit begins a window at its own time.
      m.apply("take", "k", 100n, 1n);
      expect([199n, 200n].map((nowUs) => m.explain("k", nowUs, 1n)[0]?.used)).toEqual([1n, 0n]);
    },
  );

  it("refunds units only in their window", () => {
    const m = model(fixed());
    m.apply("take", "k", 0n, 2n);
    m.apply("refund", "k", 100n, 1n);
    expect(m.explain("k", 99n, 1n)[0]?.used).toBe(2n);
    m.apply("refund", "k", 99n, 1n);
    expect(m.explain("k", 99n, 1n)[0]?.used).toBe(1n);
  });
});
