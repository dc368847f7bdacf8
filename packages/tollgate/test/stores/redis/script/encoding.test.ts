import { describe, expect, it } from "vitest";
import { perHour, perSecond } from "../../../../src/index.ts";
import { decodeReply } from "../../../../src/stores/redis/script/decode-reply.ts";
import { encodeCall } from "../../../../src/stores/redis/script/encode-call.ts";
import { call, encoded, NOW_US } from "./kit/script-call.ts";

describe("the arguments of a call", () => {
  const bucket = encoded(perSecond(10));
  const few = (transactions: Parameters<typeof encodeCall>[0]["transactions"]) => encodeCall({ transactions });

  it.each([
    ["take", 2],
    ["charge", 1],
  ] as const)("a %s alone has the arguments of a batch of one", (verb, times) => {
    for (const detail of ["each", "first-denied"] as const) {
      const transactions = [call(verb, bucket, "a", 3, { times, detail })];
      const { keys, args } = encodeCall({ nowUs: NOW_US, transactions });
      expect(few(transactions)).toEqual({ keys, args: args.slice(1) });
    }
  });
});

describe("the reply to a call", () => {
  const one = encoded(perHour(5));

  it("the reply to a cancelled call is empty", () => {
    expect(decodeReply([], [call("take", one, "a")])).toBeUndefined();
  });

  it.each([[[NOW_US, 1]], [[NOW_US, 1, 1, 1, 0, 0, 0, 0]]])(
    "a reply that does not fit the call throws: %j",
    (reply) => {
      expect(() => decodeReply(reply, [call("take", one, "a")])).toThrow("expected a reply of");
    },
  );
});
