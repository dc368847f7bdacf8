import { mutateBytes, oddText } from "./odd-values.ts";
import type { Random } from "./random.ts";

/** A call of gRPC in good HTTP/2, whose message may be anything. */
export interface GrpcCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With the prefix that states its length, which may be wrong. */
  readonly body: Buffer;
  /** Whether the client resets the stream without waiting. */
  readonly isReset: boolean;
}

const RATE_LIMIT = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
const HEALTH = "/grpc.health.v1.Health/Check";

const GRPC = { "content-type": "application/grpc", te: "trailers" };

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { "content-type": "application/json" },
  { "grpc-timeout": "-1S" },
  { "grpc-timeout": "1n" },
  { "grpc-encoding": "gzip" },
  { "x-bin": "%%%" },
  { "x-long-bin": "A".repeat(6_000) },
];

export function grpcCall(random: Random): GrpcCall {
  const isHealth = random.percent(15);
  const message = isHealth ? field(random, 1, Buffer.from(oddText(random))) : rateLimitRequest(random);
  const sent = random.percent(25) ? mutateBytes(random, message) : message;
  return {
    path: random.percent(3) ? "/a/b" : isHealth ? HEALTH : RATE_LIMIT,
    headers: { ...GRPC, ...(random.percent(10) && random.pick(ODD_HEADERS)) },
    body: framed(random.percent(97) ? sent.length : random.bits(), sent),
    isReset: random.percent(10),
  };
}

/** A call that the service answers, whatever limits it has. */
export const HEALTH_CALL: GrpcCall = { path: HEALTH, headers: GRPC, body: Buffer.alloc(5), isReset: false };

/** The prefix of gRPC says whether the message is compressed, and its length. */
function framed(length: number, message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0]), uint32(length), message]);
}

/** A `RateLimitRequest` in bytes, which may have fields of wrong numbers, types and lengths. */
function rateLimitRequest(random: Random): Buffer {
  const descriptors = random.list(random.pick([0, 1, 2, 100, 101]), () => {
    const entries = random.list(random.size(4), () => {
      const key = random.pick(["generic_key", "remote_address", "path", "client", oddText(random)]);
      const value = random.pick(["public", "/v1/a", "192.0.2.1", oddText(random)]);
      const parts = [field(random, 1, Buffer.from(key)), field(random, 2, Buffer.from(value))];
      return field(random, 1, Buffer.concat(parts));
    });
    return field(random, 2, Buffer.concat([...entries, ...(random.percent(10) ? [hits(random, 3)] : [])]));
  });
  const groups = Buffer.alloc(random.percent(1) ? random.size(30_000) : 0, 0x7b);
  return Buffer.concat([field(random, 1, Buffer.from("edge")), ...descriptors, hits(random, 3), groups]);
}

function hits(random: Random, id: number): Buffer {
  const value = random.pick([0n, 1n, 2n ** 32n - 1n, 2n ** 53n + 1n, 2n ** 64n - 1n]);
  return Buffer.concat([varint(BigInt(id << 3)), varint(value)]);
}

/** A field of bytes. Few have another wire type, number or length than they should. */
function field(random: Random, id: number, bytes: Buffer): Buffer {
  const tag = random.percent(98) ? BigInt((id << 3) | 2) : BigInt(random.bits());
  return Buffer.concat([varint(tag), varint(BigInt(random.percent(99) ? bytes.length : random.bits())), bytes]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
}

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** The types of frames of HTTP/2 (RFC 9113, 6). */
const FRAMES = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, window: 8, continuation: 9 } as const;
const END_HEADERS = 4;

/** Frames of HTTP/2 as bytes: calls, floods of one kind, and frames that no client sends. */
export function framesInput(random: Random): Buffer {
  const frames = [PREFACE, frame(FRAMES.settings, 0, 0, Buffer.alloc(0))];
  for (let stream = 1, left = random.size(12); left > 0; left -= 1, stream += 2) {
    const flood = random.percent(15) ? random.size(3_000) : 1;
    const kind = random.below(7);
    const message = rateLimitRequest(random);
    for (let i = 0; i < flood; i += 1) frames.push(...framesOf(random, kind, stream + 2 * i, message));
  }
  const bytes = Buffer.concat(frames);
  return random.percent(30) ? mutateBytes(random, bytes) : bytes;
}

/** A literal header that no table keeps (RFC 7541, 6.2.2). */
const CALL_HEADERS = Buffer.concat(
  Object.entries({ ":method": "POST", ":scheme": "http", ":path": RATE_LIMIT, ":authority": "localhost", ...GRPC }).map(
    ([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)]),
  ),
);

function framesOf(random: Random, kind: number, stream: number, message: Buffer): Buffer[] {
  switch (kind) {
    case 0:
      return [frame(random.pick([FRAMES.settings, FRAMES.ping, FRAMES.window]), random.below(2), 0, random.bytes(8))];
    case 1:
      return [frame(FRAMES.headers, END_HEADERS, stream, CALL_HEADERS), frame(FRAMES.reset, 0, stream, uint32(8))];
    case 2:
      return [
        frame(FRAMES.headers, 0, stream, CALL_HEADERS),
        frame(FRAMES.continuation, 0, stream, random.bytes(9_000)),
      ];
    case 3:
      return [frame(random.below(256), random.below(256), random.bits(), random.bytes(random.size(20_000)))];
    default:
      return [
        frame(FRAMES.headers, END_HEADERS, stream, CALL_HEADERS),
        frame(FRAMES.data, 1, stream, framed(message.length, message)),
      ];
  }
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const length = uint32(payload.length).subarray(1);
  return Buffer.concat([length, Buffer.from([type, flags]), uint32(stream), payload]);
}

/** A short text of HPACK (RFC 7541, 5.2), without Huffman's code. */
function literal(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "latin1")]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
