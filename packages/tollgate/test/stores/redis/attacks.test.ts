import { describe } from "vitest";
import { correctionAttacks } from "../../limiter/attacks/corrections.ts";
import { useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();

describe("over Redis", () => {
  correctionAttacks(() => inUse.redis.storeByClock());
});
