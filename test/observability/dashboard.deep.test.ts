import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventuallyTrue } from "../../packages/tollgate/test/stores/redis/servers/eventually.ts";
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

const ruleQueries = rules.map(({ alert, record, expr }) => ({ rule: alert ?? record, query: expr }));

let observed: Observed;
/** The queries that have had no result so far. */
const unanswered = new Set([
  ...panelQueries.map(({ query }) => query),
  ...variableQueries(),
  ...ruleQueries.map(({ query }) => query),
]);
const unheard = new Set(rules.flatMap(({ alert }) => (alert === undefined ? [] : [alert])));

const DEADLINE_MS = 60_000;
/** More than come while things go wrong, so that the median of the time is what is usual. */
const SCRAPES = 48;

/** Prometheus scrapes a service and an application where all goes well, then both where everything goes wrong. */
beforeAll(async () => {
  const deadlineMs = performance.now() + DEADLINE_MS;
  observed = await observe(250);
  const scrapes = () => numberOf("min(count_over_time(up[1m]))");
  await eventuallyTrue("scrapes", async () => (await scrapes()) > SCRAPES, { patienceMs: DEADLINE_MS, everyMs: 250 });
  await ask();
  observed.fleet.attack(true);
  observed.fleet.crowd(true);
  observed.fleet.freezeRedis(true);
  observed.flood(true);
  while (unanswered.size + unheard.size > 0 && performance.now() < deadlineMs) await ask();
});

afterAll(() => observed.stop());

async function ask(): Promise<void> {
  await setTimeout(250);
  // A quantile of nothing is a result that is not a number, and not equal to itself.
  for (const query of unanswered) {
    if ((await numberOf(`count((${query}) == (${query}))`)) > 0) unanswered.delete(query);
  }
  for (const alert of await observed.prometheus.alerts()) unheard.delete(alert);
}

async function numberOf(query: string): Promise<number> {
  const [value = Number.NaN] = await observed.prometheus.query(query);
  return value;
}

describe("what Prometheus has scraped under load", () => {
  it("came from every target, without an error", async () => {
    expect(await observed.prometheus.targets()).toEqual([
      { job: "application", health: "up", lastError: "" },
      { job: "tollgate", health: "up", lastError: "" },
    ]);
  });

  it.each(panelQueries)("has what the panel $title asks for: $query", ({ query }) => {
    expect(unanswered).not.toContain(query);
  });

  it.each(variableQueries())("has what a variable asks for: %s", (query) => {
    expect(unanswered).not.toContain(query);
  });

  it.each(ruleQueries)("has what the rule $rule asks for", ({ query }) => {
    expect(unanswered).not.toContain(query);
  });

  it("makes Prometheus evaluate every alert to pending or firing", () => {
    expect([...unheard]).toEqual([]);
  });
});
