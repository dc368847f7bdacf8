import { clientFailure } from "../../../../../src/stores/redis/clients/client-failure.ts";
import type { ScriptReply } from "../../../../../src/stores/redis/clients/redis-port.ts";

/** What came of a call: its reply, or what the failure means that it met. */
export async function outcome(reply: Promise<ScriptReply>): Promise<unknown> {
  return reply.catch((error: unknown) => clientFailure(error));
}

/** Whether nothing was done, or nobody knows. */
export function didNothingOrUnavailable(came: unknown): boolean {
  if (Array.isArray(came)) return came.length === 0;
  return typeof came === "object" && came !== null && "kind" in came && came.kind === "unavailable";
}
/** All that a scan finds, each once, sorted. */
export async function allOf(portions: AsyncIterable<readonly string[]>): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const keys of portions) for (const key of keys) found.add(key);
  return [...found].sort();
}
