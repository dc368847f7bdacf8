import { describe, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { playChangesIn } from "./kit/play-changes.ts";

const inUse = useRedis();

describe("random calls through versions of a limiter over Redis", () => {
  it("decide as the model does, in one process", async () => {
    await playChangesIn(inUse.redis, 1, {});
  });

  // A process that remembers a denial would ask later than the model.
  it("decide as the model does, in processes of their own", async () => {
    await playChangesIn(inUse.redis, 4, { denyCache: false });
  });
});
