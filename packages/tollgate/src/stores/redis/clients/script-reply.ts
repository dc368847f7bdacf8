import { show, TollgateError } from "../../../core/errors.ts";
import type { ScriptReply } from "./redis-port.ts";

const WHOLE_NUMBER = /^-?\d{1,16}$/;

/**
 * What the script answered, as plain numbers: clients can be told to hand out strings or bigints.
 *
 * @throws TollgateError `ERR_STORE` for anything but an array of whole numbers.
 */
export function readReply(reply: unknown): ScriptReply {
  if (!Array.isArray(reply)) throw refused(reply);
  const entries: unknown[] = reply;
  return entries.every(Number.isSafeInteger) ? (entries as number[]) : entries.map(wholeNumber);
}

function wholeNumber(entry: unknown): number {
  const number = toNumber(entry);
  if (!Number.isSafeInteger(number)) throw refused(entry);
  return number;
}

function toNumber(entry: unknown): number {
  switch (typeof entry) {
    case "number":
      return entry;
    case "bigint":
      return Number(entry);
    case "string":
      return WHOLE_NUMBER.test(entry) ? Number(entry) : Number.NaN;
    default:
      return Number.NaN;
  }
}

function refused(value: unknown): TollgateError {
  return new TollgateError(
    "ERR_STORE",
    `client: expected the script's reply as an array of whole numbers, got ${show(value)}: is an option set that transforms replies?`,
  );
}
