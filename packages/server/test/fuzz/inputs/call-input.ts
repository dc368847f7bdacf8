import { mutateBytes } from "../mutate.ts";
import type { Random } from "../random.ts";
import type { CallInput } from "./input.ts";
import { healthRequest, rateLimitRequest } from "./protobuf.ts";
import { type ServiceName, withFiles } from "./service-kinds.ts";

export const RATE_LIMIT_PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

/** A call of gRPC whose HTTP/2 is right, and whose message may be anything. */
export function callInput(random: Random, services: readonly ServiceName[]): CallInput {
  const isHealth = random.percent(15);
  const message = isHealth ? healthRequest(random) : rateLimitRequest(random);
  const sent = random.percent(25) ? mutateBytes(random, message) : message;
  return {
    kind: "call",
    service: random.pick(withFiles(services)),
    path: pathOf(random, isHealth),
    headers: headersOf(random),
    body: random.percent(95) ? framed(random, sent) : sent,
    isReset: random.percent(10),
  };
}

function pathOf(random: Random, isHealth: boolean): string {
  if (random.percent(3)) return random.pick(["/", "/a/b", `${RATE_LIMIT_PATH}/x`, "/grpc.health.v1.Health/List"]);
  if (!isHealth) return RATE_LIMIT_PATH;
  return random.percent(80) ? "/grpc.health.v1.Health/Check" : "/grpc.health.v1.Health/Watch";
}

function headersOf(random: Random): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/grpc", te: "trailers" };
  if (random.percent(90)) return headers;
  switch (random.below(5)) {
    case 0:
      return { ...headers, "content-type": random.pick(["application/json", "application/grpc+json", "x"]) };
    case 1:
      return { ...headers, "grpc-timeout": random.pick(["1n", "0S", "99999999H", "-1S", "1", "1x", "100m"]) };
    case 2:
      return { ...headers, "grpc-encoding": random.pick(["gzip", "deflate", "identity", "br"]) };
    case 3:
      return { ...headers, "grpc-accept-encoding": random.pick(["gzip", "", ",,,", "identity"]), "x-bin": "%%%" };
    default:
      return { ...headers, "x-long-bin": "A".repeat(random.size(6_000)) };
  }
}

/** The prefix of gRPC: whether the message is compressed, and its length. Few have a wrong one. */
function framed(random: Random, message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = random.percent(98) ? 0 : random.below(256);
  prefix.writeUInt32BE(random.percent(97) ? message.length : random.bits(), 1);
  const one = Buffer.concat([prefix, message]);
  return random.percent(97) ? one : Buffer.concat([one, one]);
}
