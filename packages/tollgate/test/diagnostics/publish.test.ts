import { hasSubscribers, subscribe, unsubscribe } from "node:diagnostics_channel";
import { createLimiter, perSecond } from "tollgate";
import { publish } from "tollgate/diagnostics";
import { manualClock } from "tollgate/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

const NAMES = ["decision", "degraded", "change", "block"].map((name) => `tollgate:${name}`);

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Subscribes until the end of the test. */
function listen(name: string): unknown[] {
  const messages: unknown[] = [];
  const listener = (message: unknown): void => void messages.push(message);
  subscribe(name, listener);
  ends.push(() => unsubscribe(name, listener));
  return messages;
}

function publishing(options: { readonly name?: string } = {}) {
  const clock = manualClock(START_MS);
  const limiter = createLimiter({ name: "api", limits: [perSecond(2, { name: "calls" })], clock, ...options });
  const end = publish(limiter);
  ends.push(end);
  return { clock, limiter, end };
}

describe("the channels of diagnostics", () => {
  it("have the observations of a limiter", async () => {
    const { limiter } = publishing();
    const [decisions, , , blocks] = NAMES.map(listen);
    limiter.allow("a");
    limiter.block("a", "1s", { reason: "spam" });
    expect(decisions).toMatchObject([
      { type: "decision", verb: "allow", keys: ["a"], decision: { allowed: true, limiter: "api" } },
    ]);
    const block = { endsInMs: 1_000, reason: "spam" };
    expect(blocks).toEqual([{ type: "block", limiter: "api", keys: ["a"], block }]);
  });

  it("have degradations and changes of limits", async () => {
    const store = new AsyncTwin();
    const of = (units: number) =>
      createLimiter({
        name: "api",
        limits: [perSecond(units, { name: "calls" })],
        clock: manualClock(START_MS),
        store,
      });
    const degraded = listen("tollgate:degraded");
    const changes = listen("tollgate:change");
    const limiter = of(3);
    ends.push(publish(limiter));
    await of(2).allow("a");
    await limiter.allow("a");
    store.outage = { cause: "timeout", policy: "allow" };
    await limiter.allow("a");
    expect(degraded).toEqual([{ type: "degradation", limiter: "api", cause: "timeout" }]);
    expect(changes).toMatchObject([{ type: "change", limiter: "api", key: "a", from: [{ capacity: 2 }] }]);
  });

  it("have nothing for a subscriber that has gone", () => {
    const { limiter } = publishing();
    const first = vi.fn<(message: unknown, name: string | symbol) => void>();
    subscribe("tollgate:decision", first);
    limiter.allow("a");
    unsubscribe("tollgate:decision", first);
    limiter.allow("a");
    expect(first.mock.calls).toEqual([[expect.objectContaining({ type: "decision" }), "tollgate:decision"]]);
    expect(NAMES.map((name) => hasSubscribers(name))).toEqual(NAMES.map(() => false));
  });

  it("work for subscribers that came before", () => {
    const decisions = listen("tollgate:decision");
    const { limiter } = publishing();
    limiter.allow("a");
    expect(decisions).toHaveLength(1);
  });

  it("have nothing of a limiter whose publishing has ended, and all of others", () => {
    const [first, second] = [publishing(), publishing({ name: "second" })];
    const decisions = listen("tollgate:decision");
    first.end();
    first.end();
    first.limiter.allow("a");
    second.limiter.allow("a");
    expect(decisions).toMatchObject([{ decision: { limiter: "second" } }]);
    const later = listen("tollgate:decision");
    first.limiter.allow("a");
    expect(later).toEqual([]);
  });

  it("refuse what is no limiter", () => {
    expect(() => publish({} as never)).toThrow("publish: expected a limiter or a Redis store");
  });
});
