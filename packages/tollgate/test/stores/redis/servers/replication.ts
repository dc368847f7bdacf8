import { eventuallyTrue } from "./eventually.ts";
import type { RedisServer } from "./redis-server.ts";

export async function isPrimary(server: RedisServer): Promise<boolean> {
  return (await server.info("replication")).get("role") === "master";
}

/** Whether the server is a replica whose link to its primary is up. */
export async function hasLink(server: RedisServer): Promise<boolean> {
  return (await server.info("replication")).get("master_link_status") === "up";
}

export async function waitForLink(replica: RedisServer): Promise<void> {
  await eventuallyTrue("the replica to follow its primary", async () => hasLink(replica));
}
