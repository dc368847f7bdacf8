import { oddText } from "../odd-values.ts";
import type { Random } from "../random.ts";
import { entryOf } from "./envoy-body.ts";

/** A `RateLimitRequest` in bytes, which may have fields of wrong numbers, wrong types and wrong lengths. */
export function rateLimitRequest(random: Random): Buffer {
  const domain = random.percent(95) ? "edge" : oddText(random);
  const count = random.pick([0, 1, 1, 2, 3, 10, 100, 101]);
  const fields = [field(random, 1, Buffer.from(domain))];
  fields.push(...random.list(count, () => field(random, 2, descriptor(random))));
  if (random.percent(20)) fields.push(number(3, hits(random)));
  return Buffer.concat(fields);
}

/** A `HealthCheckRequest`. */
export function healthRequest(random: Random): Buffer {
  const service = random.pick(["", "ratelimit", "envoy.service.ratelimit.v3.RateLimitService", oddText(random)]);
  return field(random, 1, Buffer.from(service));
}

function descriptor(random: Random): Buffer {
  const fields = random.list(random.size(4), () => {
    const { key, value } = entryOf(random);
    return field(random, 1, Buffer.concat([field(random, 1, Buffer.from(key)), field(random, 2, Buffer.from(value))]));
  });
  if (random.percent(10))
    fields.push(field(random, 2, Buffer.concat([number(1, hits(random)), number(2, BigInt(random.below(10)))])));
  if (random.percent(10)) fields.push(field(random, 3, number(1, hits(random))));
  if (random.percent(5)) fields.push(number(4, 1n));
  if (random.percent(1)) fields.push(groups(random));
  return Buffer.concat(fields);
}

function hits(random: Random): bigint {
  return random.pick([0n, 1n, 5n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]);
}

/** A field of bytes. Few have another wire type, another number or another length than they should. */
function field(random: Random, id: number, bytes: Buffer): Buffer {
  const wireType = random.percent(99) ? 2 : random.below(8);
  const shownId = random.percent(99) ? BigInt(id) : BigInt(random.bits());
  const length = random.percent(99) ? BigInt(bytes.length) : hits(random);
  return Buffer.concat([varint((shownId << 3n) | BigInt(wireType)), varint(length), bytes]);
}

function number(id: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(id << 3)), varint(value)]);
}

/** Groups within groups, which proto3 knows only to skip them. */
function groups(random: Random): Buffer {
  return Buffer.alloc(random.size(30_000), 0x7b);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}
