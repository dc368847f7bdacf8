import { expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { FLAWS } from "./flaw.ts";
import { runFleets } from "./run-fleets.ts";

const started = useRedis();
const FLEETS = 600;

it.each(FLAWS)("simulated fleets find a planted bug: $name", async (flaw) => {
  const { contradiction } = await runFleets(started.redis.server.port, 1, FLEETS, flaw);
  expect(contradiction).toMatch(/^seed \d+: /);
});
