import { TollgateError } from "../../../core/errors.ts";
import { clientFailure } from "../clients/client-failure.ts";
import { Outage } from "./outage.ts";

/**
 * Throws what an error of a client means.
 *
 * @throws Outage for what passes, and TollgateError `ERR_STORE` for what does not.
 */
export function translateError(error: unknown): never {
  if (error instanceof TollgateError) throw error;
  const failure = clientFailure(error);
  if (failure.kind === "outage") throw new Outage(failure.cause, "server", error);
  if (failure.kind === "refused") throw new Outage(failure.cause, "command", error);
  const message = error instanceof Error ? error.message : String(error);
  throw new TollgateError("ERR_STORE", `redisStore: the server refused the call: ${message}`, { cause: error });
}
