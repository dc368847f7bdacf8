import { createLimiter, type Limit } from "tollgate";
import { type HybridStore, type HybridStoreOptions, hybridStore } from "tollgate/hybrid";
import { onTestFinished } from "vitest";
import { freshPrefix, type RedisInUse } from "../../kit/use-redis.ts";

/** One process of a fleet. */
export type Node = ReturnType<typeof openNode>;

/** Nodes of one fleet: limiters of one name over stores of their own. They close when the test ends. */
export function openNodes(redis: RedisInUse, count: number, limits: readonly Limit[], prefix = freshPrefix()): Node[] {
  return Array.from({ length: count }, () => openNode(redis, limits, { prefix }));
}

export function openNode(
  { client }: Pick<RedisInUse, "client">,
  limits: readonly Limit[],
  options: Omit<HybridStoreOptions, "client">,
) {
  const store: HybridStore = hybridStore({ client, timeout: "10s", warnings: false, onFailure: "deny", ...options });
  onTestFinished(() => store.close(), 10_000);
  return { store, limiter: createLimiter({ name: "fleet", limits, store }) };
}

/** Calls one after another. @returns how many were admitted. */
export async function allowTimes({ limiter }: Node, times: number): Promise<number> {
  let admitted = 0;
  for (let call = 0; call < times; call += 1) if (await limiter.allow("ann")) admitted += 1;
  return admitted;
}
