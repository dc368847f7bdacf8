import { startSentinel } from "../../servers/start-sentinel.ts";
import { EVERY_MEMBER, type Fleet } from "./fleet.ts";
import { stage, type Told } from "./stage.ts";
import { WatchedPair } from "./watched-pair.ts";

/**
 * Runs an incident on a primary and a replica under Sentinels, with the traffic of all clients that support Sentinels.
 */
export function onSentinels<Result>(
  happening: (place: WatchedPair, fleet: Fleet) => Promise<Result>,
): () => Told<Result> {
  const members = EVERY_MEMBER.filter(([{ connectSentinel }]) => connectSentinel !== undefined);
  return stage(async () => new WatchedPair(await startSentinel()), { members }, happening);
}
