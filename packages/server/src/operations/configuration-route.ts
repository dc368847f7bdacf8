import type { Choice, LimitsFile, RuleWords } from "tollgate/config";
import type { NodeHandler } from "tollgate/node";
import { sendJson } from "../http/responses.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { mapValues } from "../limits/map-values.ts";
import { secretName } from "../log/client-name.ts";
import { overrideJson } from "./rule-routes.ts";

/**
 * `GET /rlconfig`: the limits in force with their overrides. Keys that are named in them appear by their hash, unless
 * they are addresses: the listener may be open without a token.
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

function withoutKeys(file: LimitsFile): LimitsFile {
  const domains = mapValues(file.domains, (domain) => ({
    ...domain,
    limits: mapValues(domain.limits, withHashedKeys),
  }));
  return { ...file, domains };
}

function withHashedKeys(words: RuleWords): RuleWords {
  const { by, keys } = words;
  const [fact, ...others] = typeof by === "string" ? [by] : (by ?? []);
  if (keys === undefined || (fact === "ip" && others.length === 0)) return words;
  const hashed = Object.entries(keys).map(([key, choice]): [string, Choice] => [secretName(key), choice]);
  return { ...words, keys: Object.fromEntries(hashed) };
}
