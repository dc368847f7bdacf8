import { eventuallyTrue } from "./eventually.ts";
import type { RedisServer } from "./redis-server.ts";

export async function isPrimary(server: RedisServer): Promise<boolean> {
  return (await server.info("replication")).get("role") === "master";
}

/** Whether it is a replica that has what its primary had, and gets what is written there. */
export async function hasLink(server: RedisServer): Promise<boolean> {
  return (await server.info("replication")).get("master_link_status") === "up";
}

export async function waitForLink(replica: RedisServer): Promise<void> {
  await eventuallyTrue("the replica to follow its primary", async () => hasLink(replica));
}
