import { isUnknownScript } from "./client-failure.ts";
import type { RedisScript, ScriptCall, ScriptReply } from "./redis-port.ts";
import { readReply } from "./script-reply.ts";

/** Sends a script by a command, which takes its SHA-1 or its text. */
export type SendScript = (command: "EVALSHA" | "EVAL", script: string, call: ScriptCall) => Promise<unknown>;

/**
 * Runs the script by its SHA-1, and sends the text if the server does not know it. The server has done nothing then,
 * so this is no retry. A call that fails is cancelled, because the client may have it in a queue.
 */
export function runScript({ sha, source }: RedisScript, call: ScriptCall, send: SendScript): Promise<ScriptReply> {
  const failed = (error: unknown) => sendText(error, source, call, send);
  try {
    return send("EVALSHA", sha, call).then(readReply, failed);
  } catch (error) {
    return failed(error);
  }
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
