import { createLimiter, fixedWindow, tokenBucket } from "tollgate";
import { hybridStore } from "tollgate/hybrid";
import { describe, expect, it, onTestFinished } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import { correctionAttacks } from "../../../limiter/attacks/corrections.ts";
import { receiptCases } from "../kit/receipt-cases.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { allowTimes, openNode, openNodes } from "./kit/use-hybrid.ts";

const started = useRedis();

async function lose(names: string): Promise<void> {
  await started.redis.command("DEL", ...((await started.redis.command("KEYS", names)) as string[]));
}

function storeOf(prefix: string, options: object = {}) {
  const store = hybridStore({ client: started.redis.client, prefix, timeout: "10s", ...options });
  onTestFinished(() => store.close());
  return store;
}

describe("over a hybrid store", () => {
  correctionAttacks(() => storeOf(freshPrefix(), BY_LIMITERS_CLOCK));
});

describe("receipts over a hybrid store", () => {
  receiptCases(
    () => storeOf(freshPrefix()),
    () => lose("*:receipts:*"),
  );
});

const THOUSANDS = [
  ["a bucket", tokenBucket({ name: "calls", capacity: 1_000, refill: 1, per: "1h" })],
  ["a window", fixedWindow({ name: "calls", limit: 1_000, window: "1d" })],
] as const;

describe.each(THOUSANDS)("a decision that was spent from a lease of %s", (_kind, limit) => {
  it.each(["a reset here", "a reset elsewhere", "a loss of data"])("corrects nothing after %s", async (how) => {
    const prefix = freshPrefix();
    const node = openNode(started.redis, [limit], { prefix });
    const other = createLimiter({ name: "fleet", limits: [limit], store: started.redis.store({ prefix }) });
    await allowTimes(node, 100);
    const { decidedLocally } = node.store.stats();
    const decisions = [await node.limiter.consume("ann", 3), await node.limiter.consume("ann", 3)];
    const charged = await node.limiter.reserve("ann", 1);
    await charged.charge(2);
    expect(node.store.stats().decidedLocally).toBe(decidedLocally + 4);
    // The node gives back what it holds: otherwise it would count for longer than the test lasts.
    node.store.bypass = true;
    node.store.bypass = false;
    await node.limiter.explain("ann");
    if (how === "a reset here") await node.limiter.reset("ann");
    else if (how === "a reset elsewhere") await other.reset("ann");
    else await lose(`${prefix}:*`);
    // The moments of the server are microseconds.
    await other.consume("bob");
    await other.consume("ann", 500);
    for (const decision of decisions) await node.limiter.refund("ann", 3, decision);
    await charged.cancel();
    expect((await other.explain("ann"))[0]?.used).toBe(500);
  });

  it("corrects nothing that a server without data has never counted, when the lease is spent later", async () => {
    const prefix = freshPrefix();
    const [node] = openNodes(started.redis, 1, [limit], prefix);
    const other = createLimiter({ name: "fleet", limits: [limit], store: started.redis.store({ prefix }) });
    await allowTimes(node!, 200);
    await lose(`${prefix}:*`);
    await other.consume("ann", 500);
    // A call that asks sees the new row, but what the lease has left is older.
    const { decidedLocally } = node!.store.stats();
    const decision = await node!.limiter.consume("ann", 2);
    await node!.limiter.explain("ann");
    expect(node!.store.stats().decidedLocally).toBe(decidedLocally + 1);
    await node!.limiter.refund("ann", 2, decision);
    expect((await other.explain("ann"))[0]?.used).toBe(500);
  });
});
