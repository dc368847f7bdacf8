import { mutateBytes } from "../mutate.ts";
import type { Random } from "../random.ts";
import { RATE_LIMIT_PATH } from "./call-input.ts";
import { pieces } from "./http-input.ts";
import type { BytesInput } from "./input.ts";
import { rateLimitRequest } from "./protobuf.ts";
import { type ServiceName, withFiles } from "./service-kinds.ts";

/** The types of frames of HTTP/2 (RFC 9113, 6). */
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;

const END_STREAM = 1;
const END_HEADERS = 4;

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Frames of HTTP/2 as bytes: calls, floods, and frames that no client sends. */
export function framesInput(random: Random, services: readonly ServiceName[]): BytesInput {
  const frames = [PREFACE, frame(SETTINGS, 0, 0, settings(random))];
  let stream = 1;
  for (let left = random.size(12); left > 0; left -= 1) {
    frames.push(...burst(random, stream));
    stream += 2;
  }
  const bytes = Buffer.concat(frames);
  const isBroken = random.percent(30);
  return {
    kind: "frames",
    service: random.pick(withFiles(services)),
    chunks: pieces(random, isBroken ? mutateBytes(random, bytes) : bytes),
    pauseMs: random.below(8),
    // A server of HTTP/2 need not close its side when its client has closed the other.
    ending: { kind: "reset", afterMs: random.percent(50) ? 0 : random.size(300) },
  };
}

/** A few frames, or a flood of one kind. */
function burst(random: Random, stream: number): Buffer[] {
  const flood = random.percent(15) ? random.size(3_000) : 1;
  switch (random.below(9)) {
    case 0:
      return random.list(flood, () => frame(SETTINGS, random.percent(80) ? 0 : 1, 0, settings(random)));
    case 1:
      return random.list(flood, () => frame(PING, random.below(2), 0, random.bytes(8)));
    case 2:
      return random.list(flood, () => frame(WINDOW_UPDATE, 0, random.below(2) * stream, uint32(random.bits())));
    case 3:
      return Array.from({ length: flood }, (_, i) => [
        frame(HEADERS, END_HEADERS, stream + 2 * i, callHeaders(random)),
        frame(RST_STREAM, 0, stream + 2 * i, uint32(8)),
      ]).flat();
    case 4:
      return [
        frame(HEADERS, 0, stream, callHeaders(random)),
        ...random.list(flood, () => frame(CONTINUATION, 0, stream, header("x-a", "b".repeat(random.size(9_000))))),
      ];
    case 5:
      return [frame(random.below(256), random.below(256), random.bits(), random.bytes(random.size(20_000)))];
    default:
      return call(random, stream);
  }
}

function call(random: Random, stream: number): Buffer[] {
  const message = rateLimitRequest(random);
  const body = Buffer.concat([Buffer.from([0]), uint32(message.length), message]);
  return [frame(HEADERS, END_HEADERS, stream, callHeaders(random)), frame(DATA, END_STREAM, stream, body)];
}

function callHeaders(random: Random): Buffer {
  const headers = [
    header(":method", random.percent(95) ? "POST" : "CONNECT"),
    header(":scheme", "http"),
    header(":path", RATE_LIMIT_PATH),
    header(":authority", "localhost"),
    header("content-type", "application/grpc"),
    header("te", "trailers"),
  ];
  if (random.percent(5)) headers.push(header("x-long", "y".repeat(random.size(15_000))));
  if (random.percent(5)) headers.push(random.pick(headers));
  if (random.percent(5)) headers.push(random.bytes(random.size(50)));
  return Buffer.concat(headers);
}

function settings(random: Random): Buffer {
  const pairs = random.list(random.size(4) - 1, () => {
    const pair = Buffer.alloc(6);
    pair.writeUInt16BE(random.percent(90) ? random.between(1, 6) : random.below(65_536));
    pair.writeUInt32BE(random.pick([0, 1, 100, 65_535, 16_777_215, 2 ** 31, 2 ** 32 - 1]), 2);
    return pair;
  });
  return Buffer.concat(pairs);
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** A literal header that no table keeps (RFC 7541, 6.2.2), without Huffman's code. */
function header(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), literal(name), literal(value)]);
}

function literal(text: string): Buffer {
  const length: number[] = [];
  let left = text.length;
  if (left < 127) length.push(left);
  else {
    length.push(127);
    for (left -= 127; left >= 128; left >>>= 7) length.push((left & 0x7f) | 0x80);
    length.push(left);
  }
  return Buffer.concat([Buffer.from(length), Buffer.from(text, "latin1")]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
