import { once } from "node:events";
import { createRequire } from "node:module";
import { ApolloDriver, type ApolloDriverConfig } from "@nestjs/apollo";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { GraphQLModule, Query, Resolver, Subscription } from "@nestjs/graphql";
import { concurrency, createLimiter, perMinute } from "tollgate";
import { clientIp, type HttpFacts, header, RateLimitModule, type RateLimitModuleOptions } from "tollgate/nestjs";
import { expect, it, onTestFinished } from "vitest";
import { manualLimiter } from "../suite/case.ts";

class Resolvers {
  hello(): string {
    return "hello";
  }

  async *ticks(): AsyncGenerator<{ ticks: number }> {
    for (const ticks of [1, 2, 3]) yield { ticks };
  }
}
Resolver()(Resolvers);
const descriptorOf = (name: string) => Object.getOwnPropertyDescriptor(Resolvers.prototype, name)!;
Query("hello")(Resolvers.prototype, "hello", descriptorOf("hello"));
Subscription("ticks")(Resolvers.prototype, "ticks", descriptorOf("ticks"));

async function start(limits: RateLimitModuleOptions, own: ApolloDriverConfig = {}): Promise<string> {
  class Application {}
  Module({
    imports: [
      RateLimitModule.forRoot(limits),
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        typeDefs: "type Query { hello: String! } type Subscription { ticks: Int! }",
        subscriptions: { "graphql-ws": true },
        ...own,
      }),
    ],
    providers: [Resolvers],
  })(Application);
  const app = await NestFactory.create(Application, { logger: false, forceCloseConnections: true });
  onTestFinished(() => app.close());
  await app.listen(0, "127.0.0.1");
  return `${await app.getUrl()}/graphql`;
}

async function ask(url: string, query: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ query });
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
}

/** The client of the `ws` that the platform brings. */
const { WebSocket } = createRequire(import.meta.resolve("@nestjs/platform-ws"))("ws") as {
  readonly WebSocket: new (
    url: string,
    protocol: string,
    options: object,
  ) => NodeJS.EventEmitter & {
    send(text: string): void;
    close(): void;
  };
};

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** A client of graphql-ws, and a function that subscribes and returns all messages until the operation is over. */
async function connect(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws", { headers });
  onTestFinished(() => socket.close());
  await once(socket, "open");
  const next = async () => JSON.parse(String((await once(socket, "message"))[0])) as Message;
  socket.send('{"type":"connection_init"}');
  expect(await next()).toMatchObject({ type: "connection_ack" });
  return async (id: string): Promise<Message[]> => {
    const seen: Message[] = [];
    socket.on("message", (data) => seen.push(JSON.parse(String(data)) as Message));
    socket.send(JSON.stringify({ id, type: "subscribe", payload: { query: "subscription { ticks }" } }));
    while (!seen.some((message) => message.id === id && /complete|error/.test(message.type)))
      await once(socket, "message");
    return seen;
  };
}

const DENIED = { message: "rate limit exceeded", extensions: { code: "RATE_LIMITED", retry_after_secs: 30 } };
const twice = (): RateLimitModuleOptions => ({ limiter: manualLimiter([perMinute(2)]).limiter });

it("limits operations of Apollo over Express, and sends the headers of the limit", async () => {
  const url = await start(twice());
  const first = await ask(url, "{ a: hello b: hello }");
  expect([await first.json(), first.headers.get("ratelimit")]).toEqual([
    { data: { a: "hello", b: "hello" } },
    expect.stringContaining("r=0"),
  ]);
  const denied = await ask(url, "{ hello }");
  expect(denied.headers.get("retry-after")).toBe("30");
  expect(await denied.json()).toMatchObject({ data: null, errors: [DENIED] });
});

it("counts a subscription once, by the address of its handshake, and a denied one ends with the error", async () => {
  const url = await start(twice());
  const [one, other] = [await connect(url), await connect(url)];
  const ticks = [1, 2, 3].map((tick) => ({ type: "next", payload: { data: { ticks: tick } } }));
  expect(await one("a")).toMatchObject([...ticks, { type: "complete" }]);
  expect(await other("b")).toMatchObject([...ticks, { type: "complete" }]);
  expect(await one("c")).toMatchObject([{ type: "next", payload: { errors: [DENIED] } }, { type: "complete" }]);
  expect(await (await ask(url, "{ hello }")).json()).toMatchObject({ data: null, errors: [DENIED] });
});

it("finds headers of a subscription's handshake, such as those of a proxy, also in a context of the user's", async () => {
  for (const context of [undefined, (input: object) => ({ user: "ann", ...input })]) {
    const key = (facts: HttpFacts) => [clientIp({ trustProxy: 1 })(facts), header("x-api-key")(facts)] as const;
    const url = await start({ limiter: createLimiter({ key, limits: [perMinute(1)] }) }, context && { context });
    const subscribe = async (client: string, apiKey: string) => {
      const headers = { "x-forwarded-for": client, "x-api-key": apiKey };
      return (await (await connect(url, headers))("a")).length;
    };
    const clients = [
      ["192.0.2.1", "k"],
      ["192.0.2.1", "k"],
      ["192.0.2.2", "k"],
      ["192.0.2.1", "l"],
    ] as const;
    const ends: unknown[] = [];
    for (const [client, apiKey] of clients) ends.push(await subscribe(client, apiKey));
    expect(ends).toEqual([4, 2, 4, 4]);
  }
});

it("refuses limits on concurrency for subscriptions, which have no response, and frees the place", async () => {
  const limiter = createLimiter({ key: clientIp(), limits: [concurrency({ max: 1, ttl: "1m" })] });
  const url = await start({ limiter });
  const subscribe = await connect(url);
  for (const id of ["a", "b"]) {
    const errors = [{ message: expect.stringContaining("expected limits without concurrency") }];
    expect(await subscribe(id)).toMatchObject([{ type: "next", payload: { errors } }, { type: "complete" }]);
  }
  expect((await ask(url, "{ hello }")).status).toBe(200);
});
