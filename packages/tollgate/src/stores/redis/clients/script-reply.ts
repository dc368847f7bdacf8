import { show, TollgateError } from "../../../core/errors.ts";
import type { ScriptReply } from "./redis-port.ts";

/** The script sends numbers beyond 2^53 as texts. Their doubles are exact. */
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * The script's reply as numbers: a number alone stands for an array of one. Clients can be configured to return
 * strings, buffers or bigints.
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
  const text = entry instanceof Uint8Array ? entry.toString() : entry;
  if (typeof text === "string" && WHOLE_NUMBER.test(text)) return Number(text);
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
