import { Redis } from "ioredis";
import { createClient } from "redis";
import { createLimiter, fixedWindow, perDay } from "tollgate";
import { type CommandsStoreClient, redisStore } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { ofFile } from "../../../of-file.ts";
import { startRedis } from "../servers/start-redis.ts";

const server = await ofFile(startRedis());

type Connected = CommandsStoreClient & { close(): unknown };

const SENDERS: readonly (readonly [string, () => Promise<Connected>])[] = [
  [
    "call of ioredis",
    async () => {
      const client = new Redis({ port: server.port, autoResendUnfulfilledCommands: false }).on("error", () => {});
      return { sendCommand: (command, ...args) => client.call(command, ...args), close: () => client.disconnect() };
    },
  ],
  [
    "sendCommand of redis",
    async () => {
      const client = await createClient({ socket: { port: server.port } })
        .on("error", () => {})
        .connect();
      // Users of rate-limit-redis have this function.
      return { sendCommand: (...args: string[]) => client.sendCommand(args), close: () => client.destroy() };
    },
  ],
];

describe.each(SENDERS)("a store over { sendCommand } by %s", (_by, connect) => {
  it("counts, sends the script to a server that has lost it, and finds its keys", async () => {
    const { sendCommand, close } = await connect();
    const store = redisStore({ client: { sendCommand } });
    const limiter = createLimiter({
      name: "api",
      limits: [fixedWindow({ limit: 30, window: "1d" }), perDay(40)],
      store,
    });
    await server.command("SCRIPT", "FLUSH");
    const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.consume("ann")));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(30);
    await server.command("SCRIPT", "FLUSH");
    await limiter.refund("ann", 2);
    expect((await limiter.peek("ann", 0)).remaining).toBe(2);
    await limiter.block("bob", "10m", { reason: "scraping" });
    expect(await limiter.consume("bob")).toMatchObject({ reason: "blocked", block: { reason: "scraping" } });
    expect(await limiter.size()).toBe(2);
    await limiter.clear();
    await limiter.unblock("bob");
    expect(await server.command("KEYS", "tg:*")).toEqual([]);
    await store.close();
    await close();
  });
});

describe("{ sendCommand }", () => {
  const outcome = async (sendCommand: (...args: string[]) => unknown) => {
    const client = { sendCommand } as CommandsStoreClient;
    const store = redisStore({ client, onFailure: "throw", warnings: false });
    return createLimiter({ name: "api", limits: [perDay(1)], store }).consume("ann");
  };

  it("may fail at once or later: onFailure decides, or the caller gets the error of a wrong reply", async () => {
    const cause = new Error("Socket closed unexpectedly");
    const fails = () => {
      throw cause;
    };
    await expect(outcome(fails)).rejects.toMatchObject({ code: "ERR_STORE", cause });
    await expect(outcome(async () => fails())).rejects.toMatchObject({ code: "ERR_STORE", cause });
    await expect(outcome(() => "OK")).rejects.toThrow("expected the script's reply");
  });

  it("is what users of rate-limit-redis are told to write", () => {
    const options = { sendCommand: async () => [] };
    expect(() => redisStore(options as never)).toThrow('unknown option "sendCommand"; write client: { sendCommand }');
  });
});
