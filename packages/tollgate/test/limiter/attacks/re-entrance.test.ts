import { createLimiter, fixedWindow, type Observation, perDay, type Reservation } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { EVERY_STORE } from "../every-store.ts";
import { settled } from "../line-clock.ts";

describe.each(EVERY_STORE)("over %s", (_name, createStore) => {
  /** A limiter with ten units, and what its observer does with each decision. */
  function setUp() {
    const clock = manualClock(START_MS);
    let react = (_verb: string): unknown => undefined;
    const observe = (one: Observation) => void (one.type === "decision" && react(one.verb));
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], clock, store: createStore(), observe });
    const used = async () => (await limiter.explain("ann"))[0]?.used;
    return { limiter, used, reactBy: (other: typeof react) => (react = other) };
  }

  it.each(["settle", "cancel", "charge"] as const)("a settlement that calls %s again corrects once", async (verb) => {
    const { limiter, used, reactBy } = setUp();
    await limiter.allow("ann", 3);
    const reservation = await limiter.reserve("ann", 2);
    const errors: unknown[] = [];
    reactBy(async () => {
      try {
        await (verb === "cancel" ? reservation.cancel() : reservation[verb](1));
      } catch (error) {
        errors.push((error as { readonly code: string }).code);
      }
    });
    await reservation.settle(5);
    await settled();
    expect([await used(), errors]).toEqual([8, verb === "charge" ? ["ERR_CLOSED"] : []]);
  });

  it.each(["settle", "cancel"] as const)("a call that is served by units given back may %s again", async (verb) => {
    const { limiter, used, reactBy } = setUp();
    await limiter.allow("ann", 3);
    const reservation = await limiter.reserve("ann", 6);
    const again = () => (verb === "cancel" ? reservation.cancel() : reservation.settle(1));
    reactBy((served) => served === "wait" && again());
    const waiting = limiter.wait("ann", 2);
    await again();
    await waiting;
    expect(await used()).toBe(verb === "cancel" ? 5 : 6);
  });

  it("a call that is served by a refund may refund the same decision again", async () => {
    const { limiter, used, reactBy } = setUp();
    await limiter.allow("ann", 3);
    const decision = await limiter.consume("ann", 7);
    reactBy((served) => served === "wait" && limiter.refund("ann", 7, decision));
    const waiting = limiter.wait("ann");
    await limiter.refund("ann", 7, decision);
    await waiting;
    expect(await used()).toBe(4);
  });

  it("two corrections at once correct once", async () => {
    const { limiter, used } = setUp();
    await limiter.allow("ann", 3);
    const reservation = await limiter.reserve("ann", 5);
    await Promise.all([reservation.settle(1), reservation.cancel(), reservation.settle(0), reservation.settle(9)]);
    expect(await used()).toBe(4);
  });
});

it("a clock that settles corrects once", () => {
  const reservations: Reservation[] = [];
  const now = () => {
    for (const reservation of reservations) reservation.cancel();
    return START_MS;
  };
  const limiter = createLimiter({ limits: [fixedWindow({ limit: 10, window: "1d" })], clock: { now } });
  limiter.allow("ann", 3);
  const reservation = limiter.reserve("ann", 5);
  reservations.push(reservation);
  reservation.settle(1);
  expect(limiter.explain("ann")[0]?.used).toBe(4);
});
