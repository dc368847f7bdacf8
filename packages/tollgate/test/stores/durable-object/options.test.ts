import { createLimiter, perMinute } from "tollgate";
import { durableObjectStore, rateLimitObject } from "tollgate/durable-object";
import { expect, it } from "vitest";

/** A binding whose objects answer every call with an error. */
function failingNamespace(error: () => Error) {
  const decideLimits = async () => {
    throw error();
  };
  return { idFromName: (name: string) => ({ name }), get: () => ({ decideLimits }) };
}
const namespace = failingNamespace(() => new Error("gone"));

it.each([
  [{ namespace: {} }, "namespace: expected a binding of Durable Objects"],
  [{ shards: 0 }, "shards: expected a whole number from 1 to 65536"],
  [{ shards: "keys" }, "shards"],
  [{ timeout: 0 }, "timeout"],
  [{ onFailure: "maybe" }, "onFailure"],
  [{ observe: 1 }, "observe"],
  [{ warnings: 1 }, "warnings"],
  [{ deadline: "1s" }, 'it is called "timeout" here'],
])("the options %o are refused", (options, named) => {
  expect(() => durableObjectStore({ namespace, ...options } as never)).toThrow(named);
});

it("a limiter over it needs a name, by which all isolates know it", () => {
  const store = durableObjectStore({ namespace });
  expect(() => createLimiter({ limits: [perMinute(1)], store })).toThrow(/name: expected a name/);
});

it("a call after close is an error", async () => {
  const store = durableObjectStore({ namespace });
  const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
  await store.close();
  await expect(limiter.allow("ann")).rejects.toThrow("after close()");
});

it("an object that is overloaded denies, even if the policy would admit: a flood must not admit itself", async () => {
  const overloaded = failingNamespace(() => Object.assign(new Error("overloaded"), { overloaded: true }));
  const store = durableObjectStore({ namespace: overloaded, onFailure: "allow", warnings: false });
  const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
  expect(await limiter.consume("ann")).toMatchObject({ allowed: false, degraded: "overloaded" });
});

it("the class extends the one of the platform, with its constructor", () => {
  class DurableObject {
    readonly env: { readonly name: string };
    constructor(_state: object, env: { readonly name: string }) {
      this.env = env;
    }
  }
  class Limits extends rateLimitObject(DurableObject) {
    get name(): string {
      return this.env.name;
    }
  }
  const storage = { getAlarm: () => Promise.resolve(null) };
  const limits = new Limits({ storage, blockConcurrencyWhile: (work: () => unknown) => work() }, { name: "limits" });
  expect(limits).toBeInstanceOf(DurableObject);
  expect([limits.name, typeof limits.decideLimits, typeof limits.alarm]).toEqual(["limits", "function", "function"]);
});
