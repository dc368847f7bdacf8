import { describe, expect, it } from "vitest";
import { ADAPTERS, ALGORITHMS, CLIENTS, CONDITIONS, CONNECTIONS, type Flood, POLICIES } from "./kit/flood.ts";
import { PLAN } from "./kit/plan.ts";

const VALUES: Readonly<Record<keyof Flood, readonly (string | number)[]>> = {
  adapter: ADAPTERS,
  client: CLIENTS,
  condition: CONDITIONS,
  algorithm: ALGORITHMS,
  connections: CONNECTIONS,
  policy: POLICIES,
};
const PROPERTIES = Object.keys(VALUES) as (keyof Flood)[];
const PAIRS = PROPERTIES.flatMap((one, i) => PROPERTIES.slice(i + 1).map((other) => [one, other] as const));

describe("the floods of the plan", () => {
  it.each(PAIRS)("combine every %s with every %s", (one, other) => {
    const seen = new Set(PLAN.map((flood) => `${flood[one]} & ${flood[other]}`));
    expect(seen.size).toBe(VALUES[one].length * VALUES[other].length);
  });
});
