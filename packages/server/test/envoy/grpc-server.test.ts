import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { status } from "@grpc/grpc-js";
import { Redis } from "ioredis";
import { memoryStore } from "tollgate";
import { redisStore } from "tollgate/redis";
import { type AsyncSpace, type AsyncStore, Report, type SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { GrpcListener } from "../../src/application.ts";
import { type GrpcServerOptions, startGrpcServer } from "../../src/envoy/grpc-server.ts";
import { OK, OVER_LIMIT, type RateLimitResponse } from "../../src/envoy/messages.ts";
import { RateLimits } from "../../src/envoy/rate-limits.ts";
import { ListenError } from "../../src/http/listen.ts";
import { configurationOf } from "./configurations.ts";
import { grpcClient } from "./grpc-client.ts";

const CONFIGURATION = configurationOf(
  "domain: d\ndescriptors: [{key: address, rate_limit: {unit: minute, requests_per_unit: 2}}]",
);
const CONNECTIONS = 8;
const METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
const HEALTH = "/grpc.health.v1.Health/Check";

async function startServer(
  store: SyncStore | AsyncStore = memoryStore(),
  bounded: Pick<GrpcServerOptions, "bounds"> & { readonly connections?: number } = {},
) {
  const errors: unknown[] = [];
  const limits = new RateLimits({ store, clock: manualClock(), configuration: CONFIGURATION });
  const server = await startGrpcServer({
    host: "127.0.0.1",
    port: 0,
    connections: CONNECTIONS,
    limits,
    logError: (error) => void errors.push(error),
    ...bounded,
  });
  onTestFinished(() => server.close(0));
  return { server, errors, client: grpcClient(server.port) };
}

function fail(error: unknown): never {
  throw error;
}

describe("the gRPC server", () => {
  it("decides over a socket", async () => {
    const { client } = await startServer();
    const codes: number[] = [];
    for (let i = 0; i < 3; i += 1) codes.push((await client.shouldRateLimit("d", { address: "a" })).overallCode);
    expect(codes).toEqual([OK, OK, OVER_LIMIT]);
    const { statuses } = await client.shouldRateLimit("d", { address: "b" }, { other: "x" });
    expect(statuses).toMatchObject([
      { code: OK, limitRemaining: 1, currentLimit: { requestsPerUnit: 2 } },
      { code: OK },
    ]);
  });

  it("decides calls that come at once exactly", async () => {
    const { client } = await startServer();
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.shouldRateLimit("d", { address: "a" })));
    expect(answers.filter(({ overallCode }) => overallCode === OK)).toHaveLength(2);
  });

  it("refuses what is no request by INVALID_ARGUMENT", async () => {
    const { client, errors } = await startServer();
    await expect(client.shouldRateLimit("", { a: "b" })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(client.shouldRateLimit("d")).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(errors).toEqual([]);
  });

  it("survives bytes that are no message, and messages that are too long", async () => {
    const { client } = await startServer();
    for (const bytes of [
      [0xff, 0xff, 0xff],
      [0x12, 0x7f, 0x01],
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f],
    ]) {
      await expect(client.sendBytes(METHOD, Uint8Array.from(bytes))).rejects.toMatchObject({
        code: expect.any(Number),
      });
    }
    await expect(client.sendBytes(METHOD, new Uint8Array(300_000))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
  });

  it("counts requests with any head that Envoy accepts, in four descriptors", async () => {
    const { client } = await startServer();
    const path = "x".repeat(60 * 1024);
    const { statuses } = await client.shouldRateLimit("d", ...[1, 2, 3, 4].map((i) => ({ address: `${i}${path}` })));
    expect(statuses.map(({ limitRemaining }) => limitRemaining)).toEqual([1, 1, 1, 1]);
  });

  it("survives connections that speak no HTTP/2", async () => {
    const { server, client } = await startServer();
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.end("GET / HTTP/1.1\r\n\r\n"));
      socket
        .on("close", () => resolve())
        .on("error", () => resolve())
        .resume();
    });
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
  });

  it("closes connections beyond the bound as they come, and serves the others", async () => {
    const { server, client } = await startServer();
    const sockets = Array.from({ length: 30 }, () => connect(server.port, "127.0.0.1"));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    let closed = 0;
    for (const socket of sockets) socket.on("error", () => {}).on("close", () => (closed += 1));
    await vi.waitFor(() => expect(closed).toBe(30 - CONNECTIONS));
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => {
      expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
    });
  });

  it("ends connections whose clients have gone after a frame of a wrong size", async () => {
    const { server, client } = await startServer(memoryStore(), { connections: 1, bounds: { pingMs: 100 } });
    const gone = connect(server.port, "127.0.0.1");
    gone.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    gone.write(Buffer.from([0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]));
    // The server says that the frame is wrong, in a GOAWAY.
    await once(gone, "data");
    gone.resetAndDestroy();
    await vi.waitFor(async () => {
      expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
    }, 5_000);
  });

  it("closes connections whose messages do not come", async () => {
    const { server, client } = await startServer(memoryStore(), { bounds: { partMs: 200 } });
    await beginMessages(server.port, 3).closed;
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
  });

  it("closes the connections whose messages are under way the longest, beyond a number of messages", async () => {
    const { server, client } = await startServer(memoryStore(), { bounds: { messages: 20 } });
    const patient = beginMessages(server.port, 5);
    await patient.begun;
    const greedy = beginMessages(server.port, 40);
    await Promise.all([patient.closed, greedy.closed]);
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
  });

  it("closes connections that do not read their answers", async () => {
    const { server, client } = await startServer(memoryStore(), { bounds: { partMs: 200 } });
    const session = connectHttp2(`http://127.0.0.1:${server.port}`, { settings: { initialWindowSize: 0 } });
    onTestFinished(() => session.destroy());
    session.on("error", () => {});
    for (let i = 0; i < 3; i += 1) {
      const call = session.request({ ":method": "POST", ":path": METHOD, "content-type": "application/grpc" });
      call.on("error", () => {}).end(messageOf("d", "address", "a"));
    }
    await once(session, "close");
    expect((await client.shouldRateLimit("d", { address: "b" })).overallCode).toBe(OK);
  });

  it("keeps the connection of a client that has given up a call before its answer", async () => {
    const answers: (() => void)[] = [];
    const decide = () =>
      new Promise<RateLimitResponse>((resolve) => {
        answers.push(() => resolve({ overallCode: OK, statuses: [] }));
      });
    const bounds = { connections: CONNECTIONS, bounds: { partMs: 200 } };
    const server = await startGrpcServer({ host: "127.0.0.1", port: 0, limits: { decide }, logError: fail, ...bounds });
    onTestFinished(() => server.close(0));
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    onTestFinished(() => session.destroy());
    const call = session.request({ ":method": "POST", ":path": METHOD, "content-type": "application/grpc" });
    call.on("error", () => {}).end(messageOf("d", "address", "a"));
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    call.close(constants.NGHTTP2_CANCEL);
    // What the server answers comes after the end of the call.
    await new Promise((resolve) => session.ping(resolve));
    answers[0]!();
    await Promise.race([once(session, "close"), new Promise((resolve) => setTimeout(resolve, 600))]);
    expect(session.closed).toBe(false);
  });

  it("refuses long metadata", async () => {
    const { client } = await startServer();
    await expect(client.shouldRateLimit("d", { address: "a" })).resolves.toMatchObject({ overallCode: OK });
    const long = client.sendBytes(METHOD, new Uint8Array(0), { "x-long": "x".repeat(9_000) });
    await expect(long).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it("writes nothing about headers that gRPC does not know", async () => {
    const written = vi.spyOn(console, "error").mockImplementation(() => {});
    const { server } = await startServer();
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const call = session.request({ ":method": "POST", ":path": METHOD, "content-type": "application/grpc", "'e": "x" });
    call.resume().end(Buffer.alloc(5));
    await once(call, "close");
    session.close();
    expect(written).not.toHaveBeenCalled();
  });

  it("answers UNAVAILABLE, not a code, if the store could not count", async () => {
    const { client } = await startServer(downStore());
    await expect(client.shouldRateLimit("d", { address: "a" })).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  it("answers health checks, for itself and its service", async () => {
    const { client } = await startServer();
    const check = (name: string) =>
      client.sendBytes(HEALTH, Buffer.concat([Buffer.of(0x0a, name.length), Buffer.from(name)]));
    const serving = Buffer.of(0x08, 1);
    expect(await client.sendBytes(HEALTH, Buffer.alloc(0))).toEqual(serving);
    expect(await check("envoy.service.ratelimit.v3.RateLimitService")).toEqual(serving);
    expect(await check("ratelimit")).toEqual(serving);
    await expect(check("nonsense")).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it("finishes calls that are under way when it closes, and accepts no more", async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const transact = vi.fn<AsyncStore["transact"]>(async (_verb, [call]) => {
      await answered;
      const { capacity } = call!.space.plan.limits[0]!;
      const [conforms, used, waitUs, usedAfterWait, resetUs] = [[true], [1], [0], [1], [capacity]];
      return Object.assign(new Report(), { conforms, used, waitUs, usedAfterWait, resetUs });
    });
    const open: AsyncStore["open"] = (plan) => ({ plan, release: () => {} }) as unknown as AsyncSpace;
    const { server, client } = await startServer({ kind: "async", open, transact, close: async () => {} });
    const asked = client.shouldRateLimit("d", { address: "a" });
    await vi.waitFor(() => expect(transact).toHaveBeenCalled());
    const closed = server.close(20_000);
    answer();
    expect((await asked).overallCode).toBe(OK);
    await closed;
    await expect(grpcClient(server.port).shouldRateLimit("d", { address: "a" })).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
  });

  it("says which address is not available", async () => {
    const { server } = await startServer();
    const expected = `--grpc-port: expected a free port of 127.0.0.1, got ${server.port}`;
    await expect(startAgain(server)).rejects.toThrow(new ListenError(expected));
  });
});

/** Begins calls on a connection, each with one byte of a message of 60,000. */
function beginMessages(port: number, count: number) {
  const session = connectHttp2(`http://127.0.0.1:${port}`).on("error", () => {});
  onTestFinished(() => session.destroy());
  for (let i = 0; i < count; i += 1) {
    const call = session.request({ ":method": "POST", ":path": METHOD, "content-type": "application/grpc" });
    call.on("error", () => {}).resume();
    call.write(Buffer.from([0, 0, 0, 0xea, 0x60, 1]));
  }
  const begun = new Promise((resolve) => session.ping(resolve));
  return { begun, closed: once(session, "close") };
}

/** A message with one descriptor of one entry, whose texts are short. */
function messageOf(domain: string, key: string, value: string): Buffer {
  const field = (number: number, bytes: Buffer) => Buffer.concat([Buffer.of(8 * number + 2, bytes.length), bytes]);
  const entry = Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))]);
  const message = Buffer.concat([field(1, Buffer.from(domain)), field(2, field(1, entry))]);
  return Buffer.concat([Buffer.of(0, 0, 0, 0, message.length), message]);
}

function startAgain(server: GrpcListener): Promise<GrpcListener> {
  const limits = new RateLimits({ store: memoryStore(), clock: manualClock(), configuration: CONFIGURATION });
  return startGrpcServer({
    host: "127.0.0.1",
    port: server.port,
    connections: CONNECTIONS,
    limits,
    logError: () => {},
  });
}

/** A Redis store whose server cannot be reached. */
function downStore(): AsyncStore {
  const client = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null, enableOfflineQueue: false });
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  const store = redisStore({ client, timeout: 50, connectTimeout: 0, warnings: false });
  onTestFinished(() => store.close());
  return store;
}
