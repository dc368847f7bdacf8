import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "./ask.ts";
import { RawConnection } from "./raw-connection.ts";
import { type RedisCluster, startCluster } from "./start-cluster.ts";

let cluster: RedisCluster;
let tookMs: number;

beforeAll(async () => {
  const startedMs = performance.now();
  cluster = await startCluster();
  tookMs = performance.now() - startedMs;
});
afterAll(async () => {
  await cluster.stop();
});

describe("startCluster", () => {
  it("a cluster starts soon, with three primaries that share the slots and a replica each", async () => {
    expect(tookMs).toBeLessThan(6_000);
    expect(cluster.addresses).toHaveLength(6);
    const primaries = await Promise.all([0, 5_461, 16_383].map(async (slot) => cluster.primaryOf(slot)));
    expect(new Set(primaries).size).toBe(3);
    for (const primary of primaries) expect(await cluster.replicasOf(primary)).toHaveLength(1);
    for (const { port } of cluster.nodes) {
      expect(await ask(port, "CLUSTER", "INFO")).toMatch(/cluster_state:ok.*cluster_known_nodes:6/s);
    }
  });

  it("a cluster serves keys on the node of their slot, and replicates them", async () => {
    const primary = await cluster.primaryOf("{a}1");
    const connection = await RawConnection.open(primary.port);
    const answers = await Promise.all([connection.call("SET", "{a}1", "x"), connection.call("WAIT", 1, 500)]);
    expect(answers).toEqual(["OK", 1]);
    connection.close();
    const other = cluster.nodes.find((node) => node !== primary);
    await expect(other?.command("GET", "{a}1")).rejects.toThrow(`MOVED 15495 127.0.0.1:${primary.port}`);
  });

  it("a slot migrates with its keys under traffic", async () => {
    const slot = await cluster.slotOf("{move}");
    const from = await cluster.primaryOf("{move}");
    const to = await cluster.primaryOf((slot + 8_000) % 16_384);
    for (const key of [1, 2, 3]) await from.command("SET", `{move}${key}`, key);

    const move = await cluster.beginMove(slot, from.port, to.port);
    expect(await move.moveKeys(2)).toBe(2);
    const asked = await Promise.allSettled([1, 2, 3].map(async (key) => from.command("GET", `{move}${key}`)));
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(from.command("SET", "{move}4", 4)).rejects.toThrow(`ASK ${slot} 127.0.0.1:${to.port}`);
    const connection = await RawConnection.open(to.port);
    expect(await Promise.all([connection.call("ASKING"), connection.call("SET", "{move}4", 4)])).toEqual(["OK", "OK"]);
    connection.close();

    await move.finish();
    for (const key of [1, 2, 3, 4]) expect(await to.command("GET", `{move}${key}`)).toBe(String(key));
    await expect(from.command("GET", "{move}1")).rejects.toThrow(`MOVED ${slot} 127.0.0.1:${to.port}`);
    await cluster.waitForOk();
    expect(await cluster.primaryOf(slot)).toBe(to);

    await cluster.moveSlot(slot, to.port, from.port);
    expect(await from.command("GET", "{move}4")).toBe("4");
  });

  it("a killed primary is replaced, and returns as a replica", async () => {
    const [replica] = await cluster.replicasOf(await cluster.primaryOf("{a}1"));
    const killed = await cluster.killPrimaryOf("{a}1");
    await cluster.waitForOk();
    expect(await cluster.primaryOf("{a}1")).toBe(replica);
    expect(await replica?.command("GET", "{a}1")).toBe("x");

    await killed.restart();
    await cluster.waitForOk();
    expect((await killed.info("replication")).get("role")).toBe("slave");
  });
});
