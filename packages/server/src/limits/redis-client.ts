import { Cluster, Redis } from "ioredis";
import type { RedisAddress } from "./redis-address.ts";

/** Connects in the background. Errors go to the function: without one they would end the process. */
export function connectRedis(address: RedisAddress, onError: (error: Error) => void): Redis | Cluster {
  const client = clientOf(address);
  client.on("error", onError);
  return client;
}

function clientOf(address: RedisAddress): Redis | Cluster {
  switch (address.kind) {
    case "single":
      return new Redis(address.url);
    case "cluster":
      return new Cluster([...address.urls]);
    case "sentinel":
      return new Redis({ sentinels: [...address.hosts], name: address.name });
    default:
      return address satisfies never;
  }
}
