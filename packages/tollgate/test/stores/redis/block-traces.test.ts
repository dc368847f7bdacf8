import { it } from "vitest";
import { playBlocks } from "../../properties/block-traces.ts";
import { useRedis } from "./kit/use-redis.ts";

const TRACES = 8;
const OPERATIONS = 1_000;
const inUse = useRedis();

it("random traces with blocks over Redis equal the model", async () => {
  // A store each: their clocks differ by more than the day that keys live longer.
  const play = (seed: number) => playBlocks(inUse.redis.storeByClock(), seed, OPERATIONS);
  await Promise.all(Array.from({ length: TRACES }, (_, seed) => play(seed)));
});
