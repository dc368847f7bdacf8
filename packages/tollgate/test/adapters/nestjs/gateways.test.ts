import { once } from "node:events";
import { createRequire } from "node:module";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { IoAdapter } from "@nestjs/platform-socket.io";
import { WsAdapter } from "@nestjs/platform-ws";
import { SubscribeMessage, WebSocketGateway } from "@nestjs/websockets";
import { concurrency, type Limit, perMinute } from "tollgate";
import { RateLimit, RateLimitModule } from "tollgate/nestjs";
import { expect, it, onTestFinished } from "vitest";
import { manualLimiter } from "../suite/case.ts";

async function start(adapter: typeof IoAdapter | typeof WsAdapter, limit: Limit = perMinute(1)): Promise<string> {
  class Echo {
    echo(_client: unknown, data: unknown): unknown {
      return { event: "echo", data };
    }
  }
  WebSocketGateway()(Echo);
  const descriptor = Object.getOwnPropertyDescriptor(Echo.prototype, "echo")!;
  SubscribeMessage("echo")(Echo.prototype, "echo", descriptor);
  RateLimit()(Echo.prototype, "echo", descriptor);
  class Application {}
  const { limiter } = manualLimiter([limit]);
  Module({ imports: [RateLimitModule.forRoot({ limiter })], providers: [Echo] })(Application);
  const app = await NestFactory.create(Application, { logger: false, forceCloseConnections: true });
  onTestFinished(() => app.close());
  app.useWebSocketAdapter(new adapter(app));
  await app.listen(0, "127.0.0.1");
  return (await app.getUrl()).replace("http", "ws");
}

interface Client {
  send(text: string): void;
  close(): void;
}

/** The client of the `ws` that the platform brings. */
const { WebSocket } = createRequire(import.meta.resolve("@nestjs/platform-ws"))("ws") as {
  readonly WebSocket: new (url: string) => Client & NodeJS.EventEmitter;
};

async function connect(url: string): Promise<(text: string) => Promise<string>> {
  const client = new WebSocket(url);
  onTestFinished(() => client.close());
  await once(client, "open");
  return async (text) => {
    client.send(text);
    return String((await once(client, "message"))[0]);
  };
}

const DENIED = { status: "error", message: "rate limit exceeded", retryAfterMs: 60_000 };

it("tells clients of plain websockets that a message is denied, and when to try again", async () => {
  const ask = await connect(await start(WsAdapter));
  const send = async () => JSON.parse(await ask('{"event":"echo","data":"hello"}')) as unknown;
  expect(await send()).toEqual({ event: "echo", data: "hello" });
  expect(await send()).toEqual({ event: "exception", data: DENIED });
});

/** A client of socket.io. */
async function connectIo(url: string): Promise<(text: string) => Promise<string>> {
  const ask = await connect(`${url}/socket.io/?EIO=4&transport=websocket`);
  // The first message may be that of the server, which opens the engine.
  let answer = await ask("40");
  if (answer.startsWith("0")) answer = await ask("40");
  expect(answer).toMatch(/^40/);
  return ask;
}

it("fails messages under a limit on concurrency, whose end is not known, and frees the place", async () => {
  const send = await connectIo(await start(IoAdapter, concurrency({ max: 1, ttl: "1m" })));
  // A place that were kept would deny the second one.
  for (let i = 0; i < 2; i += 1) {
    const answer = await send('42["echo","hello"]');
    expect(answer).toMatch(/^42\["exception",\{"status":"error","message":"Internal server error"/);
  }
});

it("counts clients of socket.io by their addresses, and tells them that a message is denied", async () => {
  const url = await start(IoAdapter);
  const [one, other] = [await connectIo(url), await connectIo(url)];
  expect(await one('42["echo","hello"]')).toBe('42["echo","hello"]');
  expect(await other('42["echo","hello"]')).toBe(`42${JSON.stringify(["exception", DENIED])}`);
});
