import { asText, type Fields, fieldsIn, parseJson } from "../http/json-fields.ts";
import { malformed } from "../http/request-error.ts";
import { OVER_LIMIT, type RateLimitDescriptor, type RateLimitRequest, type RateLimitResponse } from "./messages.ts";
import { UNIT_NAMES, type Unit, unitNumber, unitOf } from "./units.ts";

/** A request of `POST /json`, in the JSON of Protocol Buffers: names in either spelling, long numbers also as texts. */
export function parseJsonRequest(text: string): RateLimitRequest {
  const fields = fieldsIn(parseJson(text), "a request");
  return {
    domain: textOf(field(fields, "domain"), "domain"),
    descriptors: asList(field(fields, "descriptors"), "descriptors").map(descriptorOf),
    hitsAddend: asNumber(field(fields, "hits_addend"), "hits_addend", 2 ** 32 - 1),
  };
}

/** A response in the same JSON, where a default is left out. */
export function jsonResponse(response: RateLimitResponse): unknown {
  const { overallCode, statuses, responseHeadersToAdd, dynamicMetadata } = response;
  return {
    overallCode: codeName(overallCode),
    statuses: statuses.map(({ code, currentLimit, limitRemaining, durationUntilReset }) => ({
      code: codeName(code),
      ...(currentLimit && {
        currentLimit: {
          ...(currentLimit.requestsPerUnit > 0 && { requestsPerUnit: currentLimit.requestsPerUnit }),
          ...(currentLimit.unit > 0 && { unit: unitOf(currentLimit.unit)?.toUpperCase() }),
          ...(currentLimit.name !== "" && { name: currentLimit.name }),
        },
      }),
      ...(limitRemaining > 0 && { limitRemaining }),
      ...(durationUntilReset && { durationUntilReset: `${durationUntilReset.seconds}s` }),
    })),
    ...(responseHeadersToAdd && { responseHeadersToAdd }),
    ...(dynamicMetadata && { dynamicMetadata }),
  };
}

function descriptorOf(value: unknown): RateLimitDescriptor {
  const fields = fieldsIn(value, "a descriptor");
  const limit = field(fields, "limit");
  const hits = field(fields, "hits_addend");
  return {
    entries: asList(field(fields, "entries"), "entries").map((entry) => {
      const entryFields = fieldsIn(entry, "an entry");
      return { key: textOf(field(entryFields, "key"), "key"), value: textOf(field(entryFields, "value"), "value") };
    }),
    limit: limit == null ? null : overrideOf(fieldsIn(limit, "limit")),
    hitsAddend: hits == null ? null : { value: asNumber(hits, "hits_addend", 2 ** 64) },
    isNegativeHits: asFlag(field(fields, "is_negative_hits"), "is_negative_hits"),
  };
}

function overrideOf(fields: Fields): RateLimitDescriptor["limit"] {
  return {
    requestsPerUnit: asNumber(field(fields, "requests_per_unit"), "requests_per_unit", 2 ** 32 - 1),
    unit: asUnit(field(fields, "unit")),
  };
}

/** A field by its name in the protocol or by the name that JSON prefers. */
function field(fields: Fields, name: string): unknown {
  const preferred = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (Object.hasOwn(fields, preferred)) return fields[preferred];
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function asList(value: unknown, what: string): readonly unknown[] {
  if (value == null) return [];
  if (Array.isArray(value)) return value;
  throw malformed(what, "a list", value);
}

function textOf(value: unknown, what: string): string {
  return value == null ? "" : asText(value, what);
}

function asFlag(value: unknown, what: string): boolean {
  if (value == null) return false;
  if (typeof value === "boolean") return value;
  throw malformed(what, "true or false", value);
}

function asNumber(value: unknown, what: string, most: number): number {
  if (value == null) return 0;
  const number = typeof value === "string" && /^\d{1,20}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= most) return number;
  throw malformed(what, `a whole number from 0 to ${most}`, value);
}

/** An enumeration comes by name or by number. */
function asUnit(value: unknown): number {
  if (value == null || value === "UNKNOWN") return 0;
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (UNIT_NAMES.includes(name as Unit)) return unitNumber(name as Unit);
  if (Number.isInteger(value)) return value as number;
  throw malformed("unit", "SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or YEAR", value);
}

function codeName(code: number): "OK" | "OVER_LIMIT" {
  return code === OVER_LIMIT ? "OVER_LIMIT" : "OK";
}
