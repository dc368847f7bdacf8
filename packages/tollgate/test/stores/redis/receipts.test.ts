import { describe } from "vitest";
import { receiptCases } from "./kit/receipt-cases.ts";
import { useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();

describe("receipts over Redis", () => {
  receiptCases(
    () => inUse.redis.store(),
    async () => {
      const names = (await inUse.redis.command("KEYS", "*:receipts:*")) as string[];
      await inUse.redis.command("DEL", ...names);
    },
  );
});
