import { type handleUnaryCall, type ServiceDefinition, type ServiceError, status } from "@grpc/grpc-js";
import { unaryMethod } from "./codec.ts";
import type { RateLimitRequest, RateLimitResponse } from "./messages.ts";
import { InvalidRequestError, NotCountedError, type RateLimitDecider } from "./rate-limit-decider.ts";
import { toStruct } from "./struct.ts";

/** The name of the service in the protocol, and in health checks. */
export const RATE_LIMIT_SERVICE = "envoy.service.ratelimit.v3.RateLimitService";

/** The service as grpc-js knows it. */
export function rateLimitDefinition(): ServiceDefinition {
  const method = unaryMethod<RateLimitRequest, unknown>(
    `/${RATE_LIMIT_SERVICE}/ShouldRateLimit`,
    "rate-limit-service.proto",
    "envoy.service.ratelimit.v3.RateLimit",
  );
  const responseSerialize = (response: RateLimitResponse): Buffer => {
    const { dynamicMetadata } = response;
    if (dynamicMetadata === undefined) return method.responseSerialize(response);
    return method.responseSerialize({ ...response, dynamicMetadata: toStruct(dynamicMetadata) });
  };
  return { ShouldRateLimit: { ...method, responseSerialize } };
}

/** Logs an error that is a fault of this service. */
export type LogError = (error: unknown) => void;

/** Answers a request, or says by a status of gRPC why there is no answer. */
export function shouldRateLimit(
  limits: RateLimitDecider,
  logError: LogError,
): handleUnaryCall<RateLimitRequest, RateLimitResponse> {
  return ({ request }, respond) => {
    limits.decide(request).then(
      (response) => respond(null, response),
      (error: unknown) => respond(toStatus(error, logError), null),
    );
  };
}

/** A status whose text tells nothing of this service's inside. */
function toStatus(error: unknown, logError: LogError): Partial<ServiceError> {
  if (error instanceof InvalidRequestError) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof NotCountedError) return { code: status.UNAVAILABLE, details: error.message };
  logError(error);
  return { code: status.INTERNAL, details: "internal error" };
}
