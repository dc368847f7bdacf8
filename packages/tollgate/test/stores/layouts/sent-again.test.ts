import { type AsyncLimiter, createLimiter, type Observation, perDay } from "tollgate";
import { redisStore, type StoreClient } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../src/core/plan.ts";
import { writeLimits } from "../../../src/stores/redis/layouts/limit-text.ts";
import { layoutId, NEEDS_LAYOUTS } from "../../../src/stores/redis/script/layout.ts";

const calls = (capacity: number) => perDay(capacity, { name: "calls" });
const idOf = (capacity: number) => layoutId(createPlan("api", "api", [calls(capacity)]));
const codesOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0));

/** A server whose values have the layout of 5 calls a day, unless it is told otherwise. */
class Server {
  /** What it was asked. */
  readonly asked: string[] = [];
  layout = () => idOf(5);
  /** Until then descriptions are not read. */
  isReadable: Promise<void> | undefined;
  answer: readonly number[] = [1, 1, 3, 0, 3, 9];

  readonly client: StoreClient = {
    evalsha: async (_sha: string, _keys: string[], args: string[]) => this.#run(args),
    eval: async (_source: string, _keys: string[], args: string[]) => this.#run(args),
    scan: async () => ["0", []] as const,
  };

  limiter(observe?: (observation: Observation) => void): AsyncLimiter {
    const store = redisStore({ client: this.client, timeout: "5s", onFailure: "deny" });
    return createLimiter({ name: "api", limits: [calls(9)], store, ...(observe ? { observe } : {}) });
  }

  async #run(args: readonly string[]): Promise<readonly number[]> {
    if (args[2] === "note") return [1];
    if (args[2] === "read") {
      await this.isReadable;
      return codesOf(writeLimits([calls(5)]));
    }
    if (args.includes("forget")) {
      this.asked.push("forget");
      return [1];
    }
    const layout = this.layout();
    this.asked.push(args.includes(layout) ? "described" : "not described");
    return args.includes(layout) ? this.answer : [NEEDS_LAYOUTS, ...codesOf(layout)];
  }
}

describe("a call that meets another layout", () => {
  it("the call is sent again with the description, and the next one has it at once", async () => {
    const server = new Server();
    const limiter = server.limiter();
    expect(await limiter.consume("ann")).toMatchObject({ allowed: true, remaining: 6 });
    expect(await limiter.consume("bob")).toMatchObject({ allowed: true, remaining: 6 });
    expect(server.asked).toEqual(["not described", "described", "described"]);
  });

  it("calls of one batch are sent again together, then one by one", async () => {
    const server = new Server();
    // The first reply names one layout, the second another one, without a description.
    server.layout = () => idOf(server.asked.length === 0 ? 5 : 6);
    server.answer = [1];
    const limiter = server.limiter();
    expect(await Promise.all(["ann", "bob"].map((key) => limiter.allow(key)))).toEqual([true, true]);
    expect(server.asked).toEqual(["not described", "not described", "described", "described"]);
  });

  it("the call fails if the layout is another one at each of eight tries", async () => {
    const server = new Server();
    let capacity = 10;
    server.layout = () => idOf(capacity++);
    await expect(server.limiter().consume("ann")).rejects.toThrow(/expected limits that stay/);
    expect(server.asked).toHaveLength(9);
  });

  it("a reset waits for it", async () => {
    const server = new Server();
    const limiter = server.limiter();
    let letRead = (): void => {};
    server.isReadable = new Promise((resolve) => {
      letRead = resolve;
    });
    const consumed = limiter.consume("ann");
    while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve));
    // The reply has come, and the description is being read.
    await new Promise((resolve) => setTimeout(resolve, 2));
    const reset = limiter.reset("ann");
    await new Promise((resolve) => setTimeout(resolve, 2));
    letRead();
    await Promise.all([consumed, reset]);
    expect(server.asked).toEqual(["not described", "described", "forget"]);
  });

  it("an observer is notified of a key that moved, after the decision", async () => {
    const server = new Server();
    server.answer = [1, 1, 3, 0, 3, 9, 1, 1, 1, 2];
    const observed: Observation[] = [];
    await server.limiter((observation) => void observed.push(observation)).consume("ann");
    expect(observed.map(({ type }) => type).toSorted()).toEqual(["change", "decision"]);
    expect(observed.find(({ type }) => type === "change")).toEqual({
      type: "change",
      limiter: "api",
      key: "ann",
      from: [calls(5)],
      to: [calls(9)],
    });
  });
});
