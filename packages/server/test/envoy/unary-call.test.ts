import { once } from "node:events";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { type GrpcServerOptions, startGrpcServer } from "../../src/envoy/grpc-server.ts";
import { OK, type RateLimitRequest } from "../../src/envoy/messages.ts";
import { RATE_LIMIT_PATH } from "../../src/envoy/rate-limit-method.ts";

const GRPC = { ":method": "POST", ":path": RATE_LIMIT_PATH, "content-type": "application/grpc" };
/** A request whose domain is `d`. */
const REQUEST = Buffer.of(0x0a, 1, 0x64);

/** A server that notes the domains that it is asked for, and a connection to it. */
async function start(decide?: GrpcServerOptions["limits"]["decide"], bounds: GrpcServerOptions["bounds"] = {}) {
  const domains: string[] = [];
  const errors: unknown[] = [];
  const limits = {
    decide: async (request: RateLimitRequest) => {
      domains.push(request.domain);
      return decide === undefined ? { overallCode: OK, statuses: [] } : decide(request);
    },
  };
  const logError = (error: unknown) => void errors.push(error);
  const server = await startGrpcServer({ host: "127.0.0.1", port: 0, connections: 8, limits, logError, bounds });
  const session = connect(`http://127.0.0.1:${server.port}`);
  onTestFinished(async () => {
    session.destroy();
    await server.close(0);
  });
  return { domains, errors, session };
}

/** Sends pieces of a body one after another, and resolves with all headers of the answer. */
async function ask(session: ClientHttp2Session, headers: object, pieces: readonly Buffer[]) {
  const call = session.request({ ...GRPC, ...headers });
  const answer: IncomingHttpHeaders = {};
  const note = (came: IncomingHttpHeaders) => void Object.assign(answer, came);
  call.on("response", note).on("trailers", note).resume();
  const closed = once(call, "close");
  // One after another, or they would be one frame.
  for (const piece of pieces) await new Promise((sent) => void call.write(piece, sent));
  call.end();
  await closed;
  return answer;
}

function framed(message: Buffer, packed = 0): Buffer {
  const prefix = Buffer.of(packed, 0, 0, 0, 0);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

describe("a call of gRPC", () => {
  it("is answered, however its message is cut into pieces", async () => {
    const { session, domains } = await start();
    const whole = framed(REQUEST);
    const pieces = Array.from(whole, (byte) => Buffer.of(byte));
    for (const body of [[whole], pieces, [whole.subarray(0, 3), whole.subarray(3)]]) {
      expect(await ask(session, {}, body)).toMatchObject({ ":status": 200, "grpc-status": "0" });
    }
    expect(domains).toEqual(["d", "d", "d"]);
  });

  it("may have a message that is compressed, and no longer than others when it is unpacked", async () => {
    const { session, domains } = await start();
    const packed = (message: Buffer) => [framed(gzipSync(message), 1)];
    expect(await ask(session, { "grpc-encoding": "gzip" }, packed(REQUEST))).toMatchObject({ "grpc-status": "0" });
    expect(domains).toEqual(["d"]);
    const bomb = await ask(session, { "grpc-encoding": "gzip" }, packed(Buffer.alloc(300_000)));
    expect(bomb).toMatchObject({ "grpc-status": "13" });
    expect(domains).toEqual(["d"]);
  });

  it.each<[string, object, readonly Buffer[], object]>([
    ["of another method", { ":path": "/a/b" }, [framed(REQUEST)], { "grpc-status": "12" }],
    ["of another protocol", { "content-type": "application/json" }, [framed(REQUEST)], { ":status": 415 }],
    ["without a message", {}, [], { "grpc-status": "12" }],
    ["with two messages", {}, [framed(REQUEST), framed(REQUEST)], { "grpc-status": "12" }],
    ["whose message is shorter than it says", {}, [framed(REQUEST).subarray(0, -1)], { "grpc-status": "12" }],
  ])("is refused %s", async (_name, headers, body, expected) => {
    const { session, domains } = await start();
    expect(await ask(session, headers, body)).toMatchObject(expected);
    expect(domains).toEqual([]);
    expect(await ask(session, {}, [framed(REQUEST)])).toMatchObject({ "grpc-status": "0" });
  });

  it("whose message is too long ends at once, and not its connection, when the message goes on", async () => {
    const { session } = await start();
    const call = session.request(GRPC);
    call.on("error", () => {}).resume();
    call.write(Buffer.alloc(300_000));
    await once(call, "close");
    expect(session.destroyed).toBe(false);
    expect(await ask(session, {}, [framed(REQUEST)])).toMatchObject({ "grpc-status": "0" });
  });

  it("that fails here says nothing of the inside, which is logged", async () => {
    const { session, errors } = await start(() => {
      throw new Error("a secret");
    });
    const answer = await ask(session, {}, [framed(REQUEST)]);
    expect(answer).toMatchObject({ "grpc-status": "13", "grpc-message": "internal%20error" });
    expect(errors).toEqual([new Error("a secret")]);
  });
});

describe("a connection of gRPC", () => {
  it("ends when it has had no call for long", async () => {
    const { session } = await start(undefined, { pingMs: 400, idleMs: 600 });
    for (let i = 0; i < 8; i += 1) {
      expect(await ask(session, {}, [framed(REQUEST)])).toMatchObject({ "grpc-status": "0" });
      await sleep(100);
    }
    // A connection that does not answer a ping ends without saying so.
    await once(session, "goaway");
  });
});
