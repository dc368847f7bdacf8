import { clientFailure } from "../../../../src/stores/redis/clients/client-failure.ts";
import type { ScriptReply } from "../../../../src/stores/redis/clients/redis-port.ts";

/** What came of a call: its reply, or what the failure means that it met. */
export async function outcome(reply: Promise<ScriptReply>): Promise<unknown> {
  return reply.catch((error: unknown) => clientFailure(error));
}

/** Whether nothing was done, or nobody knows. */
export function isVoidOrOutage(came: unknown): boolean {
  if (Array.isArray(came)) return came.length === 0;
  return typeof came === "object" && came !== null && "kind" in came && came.kind === "outage";
}
