import { describe, expect, it } from "vitest";
import { perHour } from "../../../../src/index.ts";
import { decodeReply } from "../../../../src/stores/redis/script/decode-reply.ts";
import { call, encoded, NOW_US } from "./kit/script-call.ts";

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
