import { TollgateError } from "../../core/errors.ts";
import { lostError } from "../../core/lost-call.ts";
import { UnavailableError } from "../remote/unavailable-error.ts";
import { clientFailure } from "./clients/client-failure.ts";
import type { RedisPort } from "./clients/redis-port.ts";

/** The meaning of an error of a port: temporary failures are unavailable, permanent ones are `ERR_STORE`. */
export function meaningOf(
  error: unknown,
  { failureOf = clientFailure, store = "redisStore" }: Pick<RedisPort, "failureOf" | "store">,
): UnavailableError | TollgateError {
  if (error instanceof TollgateError || error instanceof UnavailableError) return error;
  const failure = failureOf(error);
  if (failure.kind === "unavailable") return new UnavailableError(failure.cause, "server", error);
  if (failure.kind === "rejected") return new UnavailableError(failure.cause, "command", error);
  const message = error instanceof Error ? error.message : String(error);
  return new TollgateError("ERR_STORE", `${store}: the server refused the call: ${message}`, { cause: error });
}

/** Throws an error that no failure policy decides on. @throws TollgateError `ERR_STORE` for an `UnavailableError`. */
export function throwStoreError(error: unknown): never {
  if (!(error instanceof UnavailableError)) throw error;
  throw lostError(error);
}

export function closedError(): TollgateError {
  return new TollgateError("ERR_STORE", "store: expected a store that is open, got a call after close()");
}

export function rethrow(error: unknown): never {
  throw error;
}
