import { afterAll, describe, expect, it, vi } from "vitest";
import { ofFile } from "../../packages/tollgate/test/of-file.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { Examples, expectPromisedOutput, needsRedis } from "./examples.ts";

const examples = new Examples(needsRedis);

const redis = await ofFile(startRedis());
vi.stubEnv("REDIS_URL", `redis://127.0.0.1:${redis.port}`);
examples.write();

afterAll(async () => {
  examples.remove();
  vi.unstubAllEnvs();
  await redis.stop();
});

describe("examples in TypeScript that connect to Redis", () => {
  it("are found", () => {
    expect(examples.list.length).toBeGreaterThan(2);
  });

  it.each(examples.list)("print what they say: $place", expectPromisedOutput);
});
