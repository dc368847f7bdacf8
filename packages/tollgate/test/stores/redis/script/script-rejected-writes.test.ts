import { beforeAll, describe, expect, it } from "vitest";
import { type Limit, perDay, perHour, slidingWindow } from "../../../../src/index.ts";
import { call, encoded, together } from "./kit/script-call.ts";
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

async function run(transactions: Transactions, time: "transactions" | "server" = "transactions") {
  return (await started.server.run({ time, transactions })) ?? [];
}

/** The reply of the script while the server rejects writes. */
async function runWhile(
  startRejecting: readonly string[],
  stopRejecting: readonly string[],
  transactions: Transactions,
  time?: "transactions" | "server",
) {
  await started.server.command(...startRejecting);
  try {
    return await run(transactions, time);
  } finally {
    await started.server.command(...stopRejecting);
  }
}

async function valuesOf(names: readonly string[]): Promise<unknown[]> {
  return Promise.all(names.map((name) => started.server.raw("GET", name)));
}

describe.each(CAUSES)("a server that rejects writes: %s", (code, startRejecting, stopRejecting) => {
  describe.each(WAYS)("%s", (way, limits) => {
    const plan = encoded(...limits);
    const [spent, half, fresh, other] = ["spent", "half", "fresh", "other"].map((name) => `${name} ${code} ${way}`);
    const times = { times: 3, detail: "first-denied" } as const;

    beforeAll(async () => {
      await run([call("take", plan, spent!, 2), call("take", plan, half!, 1)]);
    });

    async function runRejected(transactions: Transactions) {
      const names = [spent!, half!, fresh!, other!];
      const before = await valuesOf(names);
      const outcomes = await runWhile(startRejecting, stopRejecting, transactions);
      expect(await valuesOf(names)).toEqual(before);
      return outcomes;
    }

    it("denied takes are decided in every order, and the others are rejected", async () => {
      const denied = call("take", plan, spent!);
      const joined = call("take", plan, spent!, 1, times);
      const some = call("take", plan, half!, 1, times);
      const expected = await run([denied, joined]);
      const rejectedCall = expect.objectContaining({ rejected: code });
      const [told, joinedTold] = expected;
      expect(told).toMatchObject({ admitted: 0, reports: [{ admitted: false }] });
      expect(await runRejected([denied, call("take", plan, fresh!), joined, some])).toEqual([
        told,
        rejectedCall,
        joinedTold,
        rejectedCall,
      ]);
      expect(await runRejected([some, joined, call("take", plan, other!), denied])).toEqual([
        rejectedCall,
        joinedTold,
        rejectedCall,
        told,
      ]);
      expect(await runRejected([call("take", plan, fresh!, 1, times), denied])).toEqual([rejectedCall, told]);
    });
  });

  it.each(WAYS)("calls of a key before its first change are decided: %s", async (way, limits) => {
    const plan = encoded(...limits);
    const name = `before ${code} ${way}`;
    await run([call("take", plan, name)]);
    const some = [call("take", plan, name, 2), call("take", plan, name, 1), call("take", plan, name, 2)];
    const outcomes = await runWhile(startRejecting, stopRejecting, some);
    expect(outcomes.map(({ rejected }) => rejected)).toEqual([undefined, code, code]);
    expect(outcomes[0]).toEqual((await run([call("take", plan, name, 2)]))[0]);
  });

  it("a call on several keys is rejected if one of them would be written", async () => {
    const [narrow, wide] = [encoded(slidingWindow({ limit: 1, window: "1h" })), encoded(perDay(100))];
    const name = (key: string) => `${key} of several ${code}`;
    await run([call("take", narrow, name("narrow"))]);
    const both = (key: string) =>
      together(call("take", narrow, name(key)), call("take", wide, `${name(key)} too`), call("take", wide, name("w")));
    const some = [both("narrow"), both("new"), call("refund", wide, name("nothing"))];
    const outcomes = await runWhile(startRejecting, stopRejecting, some);
    expect(outcomes.map(({ rejected }) => rejected)).toEqual([undefined, code, undefined]);
    expect(outcomes[0]?.admitted).toBe(0);
    expect(await valuesOf([`${name("new")} too`, name("w")])).toEqual([null, null]);
  });
});
