import { show, TollgateError } from "../../../core/errors.ts";
import type { ScriptReply } from "./redis-port.ts";

/** The most frequent reply. */
const ADMITTED: ScriptReply = [1];
const WHOLE_NUMBER = /^-?\d{1,16}$/;

/**
 * The script's reply as numbers: a number alone stands for an array of one. Clients can be configured to return strings
 * or bigints.
 *
 * @throws TollgateError `ERR_STORE` for anything but whole numbers.
 */
export function readReply(reply: unknown): ScriptReply {
  if (reply === 1) return ADMITTED;
  if (!Array.isArray(reply)) return [wholeNumber(reply)];
  const entries: unknown[] = reply;
  return entries.every(Number.isSafeInteger) ? (entries as number[]) : entries.map(wholeNumber);
}

function wholeNumber(entry: unknown): number {
  const number = toNumber(entry);
  if (!Number.isSafeInteger(number)) throw replyError(entry);
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

function replyError(value: unknown): TollgateError {
  return new TollgateError(
    "ERR_STORE",
    `client: expected the script's reply as an array of whole numbers, got ${show(value)}; ` +
      "does the client have an option that transforms replies?",
  );
}
