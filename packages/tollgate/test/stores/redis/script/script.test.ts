import { describe, expect, it } from "vitest";
import { perHour, perSecond, slidingWindow } from "../../../../src/index.ts";
import { SCRIPT } from "../../../../src/stores/redis/script/source.generated.ts";
import type { ScriptTransaction } from "../../../../src/stores/redis/script/transaction.ts";
import { at, call, encoded, NOW_US } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";

const started = useScriptServer();

const WAYS = [
  ["one bucket", encoded(perSecond(10))],
  ["several buckets", encoded(perSecond(10), perHour(1_000))],
  ["any limits", encoded(slidingWindow({ limit: 10, window: "1h" }))],
] as const;

async function run(transactions: readonly ScriptTransaction[], nowUs?: number, cancelFlag?: string) {
  const time = nowUs === undefined ? "server" : "transactions";
  return started.server.run({ time, transactions: at(nowUs ?? 0, transactions) }, cancelFlag);
}

/** Restricts the permissions of the connection for a while. */
async function withAcl<T>(less: readonly string[], again: string, check: () => Promise<T>): Promise<T> {
  await started.server.command("ACL", "SETUSER", "default", ...less);
  try {
    return await check();
  } finally {
    await started.server.command("ACL", "SETUSER", "default", again);
  }
}

describe("the script", () => {
  it("the script uses only commands and functions that all servers allow", () => {
    expect(SCRIPT).not.toMatch(
      /setresp|replicate_commands|set_repl|breakpoint|math\.random|loadstring|setfenv|table\.getn/,
    );
    const asked = [...SCRIPT.matchAll(/\w\('([A-Z]+)'/g)].map(([, command]) => command);
    expect(new Set(asked)).toEqual(new Set(["DEL", "EXISTS", "GET", "MGET", "SET", "TIME"]));
  });

  it.each(WAYS)("a cancelled call does nothing: %s", async (way, plan) => {
    for (const cancelFlag of ["0", "", "10"]) {
      expect(await run([call("take", plan, `void ${way}`)], undefined, cancelFlag)).toBeUndefined();
    }
    expect(await started.server.command("EXISTS", `void ${way}`)).toBe(0);
  });

  it.each(WAYS)("the script reads no TIME if the client sends it: %s", async (way, plan) => {
    const asked = await withAcl(["-time"], "+time", async () => [
      await run([call("take", plan, `told ${way}`)], NOW_US),
      await run([call("take", plan, `asked ${way}`)]).catch(String),
    ]);
    expect(asked).toEqual([
      [expect.objectContaining({ admitted: 1 })],
      expect.stringContaining("can't run this command"),
    ]);
  });

  it.each(WAYS)("the script accesses only the keys of the call: %s", async (_way, plan) => {
    const outcomes = await withAcl(["resetkeys", `~own-${plan.plan.id.length}*`], "allkeys", () => {
      const name = `own-${plan.plan.id.length}`;
      return run([call("take", plan, name), call("take", plan, `${name}-too`)]);
    });
    expect(outcomes?.map(({ admitted }) => admitted)).toEqual([1, 1]);
  });
});
