import { clientFailure } from "../../../../../src/stores/redis/clients/client-failure.ts";
import type { ScriptReply } from "../../../../../src/stores/redis/clients/redis-port.ts";

/** The reply of a call, or the class of its failure. */
export async function outcome(reply: Promise<ScriptReply>): Promise<unknown> {
  return reply.catch((error: unknown) => clientFailure(error));
}

/** Whether the call did nothing, or its result is unknown. */
export function didNothingOrUnavailable(came: unknown): boolean {
  if (Array.isArray(came)) return came.length === 0;
  return typeof came === "object" && came !== null && "kind" in came && came.kind === "unavailable";
}
/** The keys of all portions, sorted and without repetitions. */
export async function allOf(portions: AsyncIterable<readonly string[]>): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const keys of portions) for (const key of keys) found.add(key);
  return [...found].sort();
}
