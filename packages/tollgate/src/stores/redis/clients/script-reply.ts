import { show, TollgateError } from "../../../core/errors.ts";
import type { ScriptReply } from "./redis-port.ts";

/** The script sends numbers beyond 2^53 as texts. Their doubles are exact. */
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * The script's reply as numbers: a number alone stands for an array of one. Clients can be configured to return strings
 * or bigints.
 *
 * @throws TollgateError `ERR_STORE` for anything but whole numbers.
 */
export function readReply(reply: unknown): ScriptReply {
  if (!Array.isArray(reply)) return [wholeNumber(reply)];
  const entries: unknown[] = reply;
  for (const entry of entries) if (!Number.isSafeInteger(entry)) return entries.map(wholeNumber);
  return entries as number[];
}

function wholeNumber(entry: unknown): number {
  if (typeof entry === "string" && WHOLE_NUMBER.test(entry)) return Number(entry);
  const number = typeof entry === "bigint" ? Number(entry) : entry;
  if (!Number.isSafeInteger(number)) throw replyError(entry);
  return number as number;
}

function replyError(value: unknown): TollgateError {
  return new TollgateError(
    "ERR_STORE",
    `client: expected the script's reply as an array of whole numbers, got ${show(value)}; ` +
      "does the client have an option that transforms replies?",
  );
}
