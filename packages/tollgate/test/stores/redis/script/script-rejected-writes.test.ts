import { describe, expect, it } from "vitest";
import { type Limit, perDay, perHour, slidingWindow } from "../../../../src/index.ts";
import { call, encoded } from "./kit/script-call.ts";
import { type ScriptServer, useScriptServer } from "./kit/script-server.ts";

type Transactions = Parameters<ScriptServer["run"]>[0]["transactions"];

const started = useScriptServer();

/** One case for each form of the script. */
const WAYS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["one bucket", [perDay(2)]],
  ["several buckets", [perDay(2), perHour(100)]],
  ["any limits", [slidingWindow({ limit: 2, window: "1h" })]],
];

const FULL = [
  ["CONFIG", "SET", "maxmemory", "1"],
  ["CONFIG", "SET", "maxmemory", "0"],
] as const;

/** The causes of rejected writes, with the commands that start and end them. */
const CAUSES: readonly (readonly [
  code: string,
  startRejecting: readonly string[],
  stopRejecting: readonly string[],
])[] = [
  ["OOM", ...FULL],
  ["NOREPLICAS", ["CONFIG", "SET", "min-replicas-to-write", "1"], ["CONFIG", "SET", "min-replicas-to-write", "0"]],
  ["NOPERM", ["ACL", "SETUSER", "default", "-set", "-del"], ["ACL", "SETUSER", "default", "+set", "+del"]],
  ["READONLY", ["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"]],
];

async function run(transactions: Transactions) {
  return (await started.server.run({ time: "transactions", transactions })) ?? [];
}

describe.each(CAUSES)("a server that rejects writes: %s", (code, startRejecting, stopRejecting) => {
  it.each(WAYS)("the script changes nothing, and denies: %s", async (way, limits) => {
    const plan = encoded(...limits);
    const [spent, half, fresh] = ["spent", "half", "fresh"].map((name) => `${name} ${code} ${way}`);
    await run([call("take", plan, spent!, 2), call("take", plan, half!, 1)]);
    const values = () => Promise.all([spent!, half!, fresh!].map((name) => started.server.raw("GET", name)));
    const [before, denied] = [await values(), await run([call("take", plan, spent!)])];
    await started.server.command(...startRejecting);
    try {
      await expect(run([call("take", plan, fresh!), call("take", plan, half!)])).rejects.toThrow();
      expect(await run([call("take", plan, spent!)])).toEqual(denied);
      expect(await values()).toEqual(before);
    } finally {
      await started.server.command(...stopRejecting);
    }
  });
});
