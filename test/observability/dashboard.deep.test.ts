import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { dashboard, variableQueries, withVariables } from "./dashboard.ts";
import { type Observed, observe } from "./observed.ts";

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}

const RULES = join(import.meta.dirname, "../../docs/observability/alerts.yml");
const rules = (parse(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, query: withVariables(expr, "5s") })),
);

let observed: Observed;

/** Prometheus scrapes an application where all goes well, then one where everything goes wrong. */
beforeAll(async () => {
  observed = await observe(250);
  await expect.poll(() => resultOf("min(count_over_time(up[1m]))"), { timeout: 60_000 }).toBeGreaterThan(30);
  observed.fleet.attack(true);
  observed.fleet.crowd(true);
  observed.fleet.freezeRedis(true);
  observed.flood(true);
});

afterAll(() => observed.stop());

async function resultOf(query: string): Promise<number> {
  const [series] = await observed.prometheus.query(query);
  return series?.points[0]?.[1] ?? Number.NaN;
}

/** Numbers: a quantile of nothing is a result, too, but none that one can see. */
function countOf(query: string): Promise<number> {
  return resultOf(`count((${query}) == (${query}))`);
}

const PATIENT = { timeout: 60_000, interval: 250 };

describe("what Prometheus has scraped under load", () => {
  it("came from every target, without an error", async () => {
    const targets = await observed.prometheus.targets();
    expect(targets).toEqual([
      { job: "application", health: "up", lastError: "" },
      { job: "tollgate", health: "up", lastError: "" },
    ]);
  });

  it.each(panelQueries)("has what the panel $title asks for: $query", async ({ query }) => {
    await expect.poll(() => countOf(query), PATIENT).toBeGreaterThan(0);
  });

  it.each(variableQueries())("has what a variable asks for: %s", async (query) => {
    await expect.poll(() => countOf(query), PATIENT).toBeGreaterThan(0);
  });

  it.each(rules)("has what the rule $alert$record asks for", async ({ expr }) => {
    await expect.poll(() => countOf(expr), PATIENT).toBeGreaterThan(0);
  });

  it("makes all alerts pending in Prometheus itself", async () => {
    const names = rules.flatMap(({ alert }) => (alert === undefined ? [] : [alert]));
    const missing = async (): Promise<string[]> => {
      const active = await observed.prometheus.alerts();
      return names.filter((name) => !active.has(name));
    };
    await expect.poll(missing, PATIENT).toEqual([]);
  });
});
