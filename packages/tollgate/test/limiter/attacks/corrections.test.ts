import { createLimiter, memoryStore, perDay } from "tollgate";
import { describe, expect, it, vi } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { EVERY_STORE } from "../every-store.ts";
import { correctionAttacks } from "./corrections.ts";

describe.each(EVERY_STORE)("over %s", (_name, createStore) => {
  correctionAttacks(() => createStore());
});

it("a refund that a store could not make can be made again", async () => {
  const store = new AsyncTwin(memoryStore());
  const limiter = createLimiter({ name: "api", limits: [perDay(10)], store });
  const decision = await limiter.consume("ann", 5);
  vi.spyOn(store, "transact").mockRejectedValueOnce(new Error("lost"));
  await expect(limiter.refund("ann", 4, decision)).rejects.toThrow("lost");
  await limiter.refund("ann", 5, decision);
  expect(await limiter.peek("ann", 0)).toMatchObject({ remaining: 10 });
});
