import type { RuleWords } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { namedFacts } from "../../src/limits/named-facts.ts";

function namesOf(...rules: readonly RuleWords[]): object {
  const domains = rules.map((rule, i) => [`d${i}`, { limits: { [`r${i}`]: rule } }]);
  return Object.fromEntries(namedFacts({ version: 1, domains: Object.fromEntries(domains) }));
}

describe("the facts that rules name", () => {
  it("are those of all words, without those that every request has", () => {
    const rule: RuleWords = {
      by: ["ip", "header.X-Api-Key", "user"],
      match: { method: "GET", path: "/a", host: "h", "query.q": "1", descriptor: { tenant: "t" } },
      plans: { from: "cookie.Plan", is: {} },
      cost: { requests: "header.Cost", tokens: { from: "query.tokens" }, bytes: 3 },
      rate: "1/1s",
    };
    expect(namesOf(rule)).toEqual({
      "header.x-api-key": "identity",
      "descriptor.user": "identity",
      "query.q": "text",
      "descriptor.tenant": "text",
      "cookie.Plan": "text",
      "header.cost": "text",
      "query.tokens": "text",
    });
    expect(namesOf({ cost: "header.cost", rate: "1/1s" })).toEqual({ "header.cost": "text" });
    expect(namesOf({ cost: 2, rate: "1/1s" }, { by: "ip", rate: "1/1s" })).toEqual({});
  });

  it("have their text if one rule needs it, wherever it stands and however it is spelled", () => {
    const identity: RuleWords = { by: "header.x-key", rate: "1/1s" };
    const others: readonly RuleWords[] = [
      { by: "header.X-Key", keys: { a: "deny" }, rate: "1/1s" },
      { match: { "header.X-KEY": "a" }, rate: "1/1s" },
      { match: { "header.x-key": "a" }, rate: "1/1s" },
    ];
    for (const other of others) {
      expect(namesOf(identity, other)).toEqual({ "header.x-key": "text" });
      expect(namesOf(other, identity)).toEqual({ "header.x-key": "text" });
    }
    expect(namesOf(identity, identity)).toEqual({ "header.x-key": "identity" });
  });
});
