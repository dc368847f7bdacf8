import { show, TollgateError } from "../../../core/errors.ts";
import { isUnknownScript } from "./client-failure.ts";
import type { RedisScript, RunScript, ScriptCall, ScriptReply } from "./redis-port.ts";

/** The script sends numbers beyond 2^53 as texts. Their doubles are exact. */
const WHOLE_NUMBER = /^-?\d+$/;

/** Sends a script by a command, which takes its SHA-1 or its text. */
export type SendScript = (command: "EVALSHA" | "EVAL", script: string, call: ScriptCall) => Promise<unknown>;

/**
 * Returns what runs the script by its SHA-1, and sends the text if the server does not know it. The server has done
 * nothing then, so this is no retry. A call that fails is cancelled, because the client may have it in a queue.
 */
export function scriptRunner({ sha, source }: RedisScript, send: SendScript): RunScript {
  return function run(call) {
    const failed = (error: unknown) => sendText(error, source, call, send);
    try {
      return send("EVALSHA", sha, call).then(readReply, failed);
    } catch (error) {
      return failed(error);
    }
  };
}

async function sendText(error: unknown, source: string, call: ScriptCall, send: SendScript): Promise<ScriptReply> {
  try {
    if (!isUnknownScript(error)) throw error;
    return readReply(await send("EVAL", source, call));
  } catch (thrown) {
    call.cancelFlag.cancel();
    throw thrown;
  }
}

/**
 * The script's reply as numbers: a number alone stands for an array of one. Clients can be configured to return
 * strings, buffers or bigints.
 *
 * @throws TollgateError `ERR_STORE` for anything but whole numbers.
 */
function readReply(reply: unknown): ScriptReply {
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
