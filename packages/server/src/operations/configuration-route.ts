import type { NodeHandler } from "tollgate/node";
import { sendJson } from "../http/responses.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { overrideJson } from "./rule-routes.ts";
import { withoutKeys } from "./without-keys.ts";

/**
 * `GET /rlconfig`: the limits in force with their overrides, without keys: the listener may be open without a token.
 */
export function configurationRoute(inForce: LimitsInForce): NodeHandler {
  return (_request, response) => {
    const { version, source, since, overrides, effective } = inForce;
    sendJson(response, 200, {
      version,
      source,
      loadedAt: since.toISOString(),
      overrides: overrides.map(overrideJson),
      limits: withoutKeys(effective),
    });
  };
}
