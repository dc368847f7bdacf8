import { type CancelFlag, cancel } from "./cancel-flag.ts";
import { isUnknownScript } from "./client-failure.ts";
import type { ScriptReply } from "./redis-port.ts";
import { readReply } from "./script-reply.ts";

/**
 * Runs the script by its SHA-1, and sends the text if the server does not know it. The server has done nothing then,
 * so this is no retry. A call that fails is cancelled, because the client may have it in a queue.
 */
export async function runScript(
  flag: CancelFlag,
  sendSha: () => Promise<unknown>,
  sendText: () => Promise<unknown>,
): Promise<ScriptReply> {
  try {
    return readReply(await bySha(sendSha, sendText));
  } catch (error) {
    cancel(flag);
    throw error;
  }
}

async function bySha(sendSha: () => Promise<unknown>, sendText: () => Promise<unknown>): Promise<unknown> {
  try {
    return await sendSha();
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
  }
  return sendText();
}
