import { isUnknownScript } from "./client-failure.ts";
import { voidFence } from "./fence-bytes.ts";
import type { Fence, ScriptReply } from "./redis-port.ts";
import { readReply } from "./script-reply.ts";

/**
 * Asks by SHA-1, and sends the text where the server does not know that: it has done nothing then, so that is no second try.
 * The fence of whatever fails is void from then on, for the client may have the call in a queue still.
 */
export async function runScript(
  fence: Fence,
  sendSha: () => Promise<unknown>,
  sendText: () => Promise<unknown>,
): Promise<ScriptReply> {
  try {
    return readReply(await bySha(sendSha, sendText));
  } catch (error) {
    voidFence(fence);
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
