import { type AsyncLimiter, combine, createLimiter, perDay } from "tollgate";
import { redisStore } from "tollgate/redis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ofFile } from "../../../of-file.ts";
import { type ConnectedClient, EVERY_CLIENT } from "../clients/kit/every-client.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import { startCluster } from "../servers/start-cluster.ts";
import { proxiesOfFile } from "../servers/test-servers.ts";

const TIMEOUT_MS = 200;
/** In slots of three primaries: a call on all of them is three calls, one after another. */
const KEYS = ["ann", "bob!", "cid-3"] as const;

const cluster = await ofFile(startCluster({ primaries: 3, replicas: 0 }));
const { proxies, detours } = await proxiesOfFile(cluster.nodes);

describe.each(EVERY_CLIENT)("a call on several slots over $name", ({ name, connectCluster }) => {
  let connected: ConnectedClient;
  let members: readonly AsyncLimiter[];
  let all: AsyncLimiter;
  beforeEach(async () => {
    connected = await connectCluster(cluster.addresses, detours);
    const prefix = `c-${name.replaceAll(/\W/g, "")}`;
    const store = redisStore({ client: connected.client, prefix, timeout: TIMEOUT_MS, onFailure: "deny" });
    const [ann, bob, cid] = KEYS.map((key, i) =>
      createLimiter({ name: `of-${i}`, key: () => key, limits: [perDay(10)], store }),
    );
    members = [ann!, bob!, cid!];
    all = combine(ann!, bob!, cid!);
    await eventuallyTrue("an answer", async () => (await all.peek("")).degraded === undefined);
  });
  afterEach(async () => {
    for (const proxy of proxies.values()) await proxy.pass();
    await connected.close();
  });

  async function used(): Promise<readonly (number | undefined)[]> {
    const reports = await Promise.all(members.map((member) => member.explain("")));
    return reports.map(([report]) => report?.used);
  }

  it("the servers decide if each replies in time, even if their times add up to more than the timeout", async () => {
    for (const proxy of proxies.values()) proxy.delay(65);
    const decision = await all.consume("");
    expect(decision.degraded).toBeUndefined();
    expect(decision.allowed).toBe(true);
  });

  it("units of other slots are given back when one slot does not reply", async () => {
    const before = await used();
    const primary = await cluster.primaryOf(KEYS[2]);
    const last = proxies.get(primary.port)!;
    for (const proxy of proxies.values()) proxy.delay(65);
    const decided = all.consume("");
    // The peek takes 130 ms, the take from the first slot ends after 260 ms, from the second after 390 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    last.hold();
    expect((await decided).degraded).toBe("timed out");
    for (const proxy of proxies.values()) await proxy.pass("drop");
    await eventuallyTrue("what it took to be given back", async () => String(await used()) === String(before));
  });
});
