import { perDay, perHour } from "tollgate";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../src/core/plan.ts";
import type { Limit } from "../../../src/index.ts";
import type { RedisPort, ScriptCall } from "../../../src/stores/redis/clients/redis-port.ts";
import { LayoutRegistry } from "../../../src/stores/redis/layouts/layout-registry.ts";
import { type EncodedPlan, encodePlan } from "../../../src/stores/redis/script/encode-plan.ts";
import { epochOf } from "../../../src/stores/redis/script/epoch.ts";
import { UNION } from "../../../src/stores/redis/script/layout.ts";
import type { ScriptTransaction } from "../../../src/stores/redis/script/transaction.ts";

const EPOCH = epochOf(1_784_000_000_000_000);
const MINUTE_MS = 60_000;

/** A server that keeps descriptions, and what it was asked. */
class Descriptions {
  readonly texts = new Map<string, string>();
  readonly asked: string[] = [];
  isDown = false;
  readonly port = {
    run: async ({ keys: [name = ""], args: [, form, text = ""] }: ScriptCall) => {
      this.asked.push(`${form} ${name}`);
      if (this.isDown) throw new Error("READONLY You can't write against a read only replica.");
      if (form === "note") this.texts.set(name, text);
      return form === "note" ? [1] : Array.from(this.texts.get(name) ?? "", (character) => character.charCodeAt(0));
    },
  } as unknown as RedisPort;

  registry(): LayoutRegistry {
    return new LayoutRegistry({ port: this.port, prefix: "tg", timeoutMs: () => 1_000 });
  }
}

const planOf = (...limits: readonly Limit[]) => encodePlan(createPlan("api", "api", limits), EPOCH);
const calls = (capacity: number) => perDay(capacity, { name: "calls" });

function work(plan: EncodedPlan): ScriptTransaction[] {
  return [{ verb: "take", times: 1, detail: "each", keys: [{ name: "ann", plan, costs: [1] }] }];
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe("the registry of layouts", () => {
  it("the registry notes a list and each of its limits, once", async () => {
    const server = new Descriptions();
    const registry = server.registry();
    const plan = planOf(calls(5), perHour(9));
    for (const one of [plan, plan, planOf(calls(5), perHour(9))]) registry.note(work(one), 0);
    await settled();
    expect(server.asked).toHaveLength(3);
    expect(server.asked).toContain(`note tg:layouts:${plan.head}`);
  });

  it("the registry notes limits that count separately as a list alone, and no list without limits", async () => {
    const server = new Descriptions();
    const plan = planOf(perDay(5), perHour(9));
    for (const one of [plan, planOf()]) server.registry().note(work(one), 0);
    await settled();
    expect(server.asked).toEqual([`note tg:layouts:${plan.head}`]);
    const other = planOf(calls(9));
    expect(await server.registry().describe(work(other), [plan.head])).toEqual([]);
    expect([...other.others.describe()]).toMatchObject([{ id: plan.head, texts: plan.texts }]);
  });

  it("the registry notes them again after ten minutes, or after ten seconds if that failed", async () => {
    const server = new Descriptions();
    const registry = server.registry();
    const plan = planOf(calls(5));
    server.isDown = true;
    const noted: number[] = [];
    for (const [seconds, isDown] of [
      [0, true],
      [9, true],
      [11, false],
      [600, false],
      [612, false],
    ] as const) {
      server.isDown = isDown;
      registry.note(work(plan), seconds * 1_000);
      await settled();
      noted.push(server.asked.length);
    }
    expect(noted).toEqual([1, 1, 2, 2, 3]);
  });

  it("the registry describes what another process has noted to the calls that met it, and reads it once", async () => {
    const server = new Descriptions();
    server.registry().note(work(planOf(calls(5))), 0);
    const registry = server.registry();
    const plan = planOf(calls(9));
    const { head } = planOf(calls(5));
    for (const _ of [1, 2]) expect(await registry.describe(work(plan), [head])).toEqual([]);
    expect(server.asked.filter((asked) => asked.startsWith("read"))).toEqual([`read tg:layouts:${head}`]);
    expect([...plan.others.describe()]).toMatchObject([{ id: head, limits: [calls(5)] }]);
  });

  it("the registry knows its own layouts without the server", async () => {
    const server = new Descriptions();
    const registry = server.registry();
    registry.note(work(planOf(calls(5))), 0);
    await settled();
    server.texts.clear();
    expect(await registry.describe(work(planOf(calls(9))), [planOf(calls(5)).head])).toEqual([]);
  });

  it("the registry looks again for what is on its way", async () => {
    const server = new Descriptions();
    const { head } = planOf(calls(5));
    const described = server.registry().describe(work(planOf(calls(9))), [head]);
    await settled();
    server.registry().note(work(planOf(calls(5))), 0);
    expect(await described).toEqual([]);
  });

  it("what it does not find after three looks is lost, and calls expect other layouts all the same", async () => {
    const server = new Descriptions();
    const plan = planOf(calls(9));
    const { head } = planOf(calls(5));
    expect(await server.registry().describe(work(plan), [head, "#2345678"])).toEqual([head, "#2345678"]);
    // No version of the library makes the other one.
    expect(server.asked).toEqual([head, head, head].map((id) => `read tg:layouts:${id}`));
    expect(plan.others.areExpected).toBe(true);
  });

  it("sections of a union describe themselves", async () => {
    const server = new Descriptions();
    const plan = planOf(calls(9));
    expect(await server.registry().describe(work(plan), [UNION])).toEqual([]);
    expect([server.asked, plan.others.areExpected]).toEqual([[], true]);
  });

  it("a server that cannot be asked is an error", async () => {
    const server = new Descriptions();
    server.isDown = true;
    await expect(server.registry().describe(work(planOf(calls(9))), ["abcdefgh"])).rejects.toThrow();
  });

  it("descriptions outlast the values: twice the longest time in use, and a day", async () => {
    const kept: string[] = [];
    const port = { run: async ({ args }: ScriptCall) => [kept.push(args[3]!)] } as unknown as RedisPort;
    new LayoutRegistry({ port, prefix: "tg", timeoutMs: () => 1_000 }).note(work(planOf(calls(5))), 0);
    await settled();
    expect(kept).toEqual([String(3 * 24 * 60 * MINUTE_MS)]);
  });
});
