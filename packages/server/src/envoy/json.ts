import {
  asFields,
  asFlag,
  asText,
  type Fail,
  isObject,
  listOf,
  optional,
  orElse,
  parseJson,
  type Reader,
  refuseIn,
  type Words,
  wholeNumber,
} from "../http/readers.ts";
import { OVER_LIMIT, type RateLimitDescriptor, type RateLimitRequest, type RateLimitResponse } from "./messages.ts";
import { UNIT_NAMES, UNITS, type Unit, unitOf } from "./units.ts";

const unsigned32 = wholeNumber(2 ** 32 - 1);

/** An enumeration comes by name or by number. */
const unit: Reader<number> = (value, words, fail) => {
  const name = String(value).toLowerCase() as Unit;
  if (UNIT_NAMES.includes(name)) return UNITS[name].number;
  if (value === "UNKNOWN") return 0;
  return Number.isInteger(value)
    ? (value as number)
    : fail(words, "SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or YEAR", value);
};

const entry = message({ key: orElse(asText, ""), value: orElse(asText, "") });

const descriptor: Reader<RateLimitDescriptor> = message({
  entries: orElse(listOf(entry), []),
  limit: optional(message({ requestsPerUnit: orElse(unsigned32, 0), unit: orElse(unit, 0) })),
  hitsAddend: (value: unknown, words: Words, fail: Fail) =>
    value == null ? null : { value: wholeNumber(2 ** 64)(value, words, fail) },
  isNegativeHits: orElse(asFlag, false),
});

const request = message({
  domain: orElse(asText, ""),
  descriptors: orElse(listOf(descriptor), []),
  hitsAddend: orElse(unsigned32, 0),
});

/** A request of `POST /json`, in the JSON of Protocol Buffers: names in either spelling, long numbers also as texts. */
export function parseJsonRequest(json: string): RateLimitRequest {
  return request(parseJson(json), [], refuseIn("request"));
}

/** Fields that a message does not have are ignored. */
function message<Value extends object>(
  readers: { readonly [Name in keyof Value]: Reader<Value[Name]> },
): Reader<Value> {
  const read = asFields(readers);
  return (value, words, fail) => {
    if (!isObject(value)) return read(value, words, fail);
    const named = Object.entries(value).map(([name, field]) => [preferredName(name), field] as const);
    return read(Object.fromEntries(named.filter(([name]) => Object.hasOwn(readers, name))), words, fail);
  };
}

/** The name that JSON prefers: `hitsAddend` for `hits_addend`. */
function preferredName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
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

function codeName(code: number): "OK" | "OVER_LIMIT" {
  return code === OVER_LIMIT ? "OVER_LIMIT" : "OK";
}
