import { TollgateError } from "../../../core/errors.ts";
import { clientFailure } from "../clients/client-failure.ts";
import { UnavailableError } from "./unavailable-error.ts";

/**
 * Throws the meaning of a client's error.
 *
 * @throws UnavailableError for a temporary failure, and TollgateError `ERR_STORE` for a permanent one.
 */
export function translateError(error: unknown): never {
  if (error instanceof TollgateError) throw error;
  const failure = clientFailure(error);
  if (failure.kind === "unavailable") throw new UnavailableError(failure.cause, "server", error);
  if (failure.kind === "rejected") throw new UnavailableError(failure.cause, "command", error);
  const message = error instanceof Error ? error.message : String(error);
  throw new TollgateError("ERR_STORE", `redisStore: the server refused the call: ${message}`, { cause: error });
}
