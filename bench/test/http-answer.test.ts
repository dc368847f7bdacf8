import { describe, expect, it } from "vitest";
import { VARIANTS } from "../http/catalog.ts";
import { type Answer, faultIn } from "../http/measure/answer.ts";
import { BODY } from "../http/servers/serve.ts";
import type { Variant } from "../http/variant.ts";

function variant(id: string): Variant {
  const found = VARIANTS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no variant ${id}`);
  return found;
}

function answer(rest: Partial<Answer> = {}): Answer {
  return { status: 200, body: BODY, headers: ["date", "content-length"], ...rest };
}

const TWO = ["ratelimit-policy", "ratelimit"];

describe("an answer", () => {
  it("is right where no headers are due", () => {
    expect(faultIn(answer(), variant("node"))).toBeUndefined();
    expect(faultIn(answer(), variant("node-tollgate-without"))).toBeUndefined();
  });

  it("is right with the headers that are due", () => {
    expect(faultIn(answer({ headers: ["date", ...TWO] }), variant("node-tollgate"))).toBeUndefined();
  });

  it.each([
    ["another status", answer({ status: 429 }), "node", "expected status 200, got 429"],
    ["another body", answer({ body: "bye" }), "node", "expected the body hello, got bye"],
    ["a missing header", answer({ headers: ["ratelimit"] }), "node-tollgate", "expected the headers ratelimit-policy"],
    ["headers too many", answer({ headers: TWO }), "node-tollgate-without", "expected no headers ratelimit-policy"],
    ["a header of another form", answer({ headers: [...TWO, "x-ratelimit-limit"] }), "node-tollgate", "no headers x-"],
  ])("is wrong with %s", (_what, given, id, fault) => {
    expect(faultIn(given, variant(id))).toContain(fault);
  });
});
