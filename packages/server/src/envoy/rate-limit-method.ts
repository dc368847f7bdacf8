import { requestErrorOf } from "../http/request-error.ts";
import { messageTypes } from "./message-types.ts";
import type { RateLimitRequest, RateLimitResponse } from "./messages.ts";
import type { RateLimitDecider } from "./rate-limit-decider.ts";
import { type Method, STATUS, StatusError } from "./unary-call.ts";

/** The name of the service in the protocol, and in health checks. */
export const RATE_LIMIT_SERVICE = "envoy.service.ratelimit.v3.RateLimitService";

export const RATE_LIMIT_PATH: string = `/${RATE_LIMIT_SERVICE}/ShouldRateLimit`;

/** Answers a request, or says by a status of gRPC why there is no answer. */
export function rateLimitMethod(limits: RateLimitDecider): Method {
  const types = messageTypes<RateLimitRequest, unknown>(
    "rate-limit-service.proto",
    "envoy.service.ratelimit.v3.RateLimit",
  );
  const encode = (response: RateLimitResponse): Uint8Array => {
    const { dynamicMetadata } = response;
    if (dynamicMetadata === undefined) return types.encodeResponse(response);
    return types.encodeResponse({ ...response, dynamicMetadata: toStruct(dynamicMetadata) });
  };
  return async (message) => {
    const request = types.decodeRequest(message);
    try {
      return encode(await limits.decide(request));
    } catch (error) {
      throw statusErrorOf(error);
    }
  };
}

/** Without the store the call is UNAVAILABLE, so that Envoy's own failure mode decides. */
function statusErrorOf(error: unknown): unknown {
  const known = requestErrorOf(error);
  if (known === undefined) return error;
  const status = known.status === 503 ? STATUS.unavailable : STATUS.invalidArgument;
  return new StatusError(known.message, { status, cause: error });
}

/** A mapping of a configuration as a `google.protobuf.Struct`. */
export function toStruct(mapping: Readonly<Record<string, unknown>>): object {
  return { fields: Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, toStructValue(value)])) };
}

function toStructValue(value: unknown): object {
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(toStructValue) } };
  if (typeof value === "object" && value !== null) return { structValue: toStruct(value as Record<string, unknown>) };
  return { nullValue: 0 };
}
