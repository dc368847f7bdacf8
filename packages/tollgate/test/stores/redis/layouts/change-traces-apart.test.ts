import { describe, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { playChangesIn } from "./kit/play-changes.ts";

const inUse = useRedis();

describe("random calls through versions of a limiter in processes of their own", () => {
  // A process that remembers a denial would ask later than the model.
  it("decide as the model does", async () => {
    await playChangesIn(inUse.redis, 4, { denyCache: false });
  });
});
