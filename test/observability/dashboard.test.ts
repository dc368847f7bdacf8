import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dashboard, variableQueries, withVariables } from "./dashboard.ts";

const DOCS = join(import.meta.dirname, "../../docs/observability");

describe("the dashboard", () => {
  it("is drawn in the docs, every panel with at least one line of data", () => {
    const picture = readFileSync(join(DOCS, "dashboard.svg"), "utf8");
    const drawn = picture.split("<g>").slice(1);
    const panels = dashboard.panels.filter(({ type }) => type === "timeseries");
    expect(drawn).toHaveLength(panels.length);
    for (const [index, { title }] of panels.entries()) {
      expect(drawn[index]).toContain(`>${title}</text>`);
      expect(drawn[index]).toMatch(/<path d="M[\d.]+ [\d.]+L[^"]+" fill="none"/);
    }
  });

  it("has no two panels in one place, and none outside the grid", () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });

  it("says of every panel what it shows, and filters every query by the variables", () => {
    for (const { title, type, description = "", targets = [] } of dashboard.panels) {
      if (type === "row") continue;
      expect(`${title}: ${description}`).toMatch(/: [A-Z].+\.$/);
      for (const { expr } of targets) expect(expr).toContain('job=~"$job"');
    }
  });

  it("names each alert of the rules in a panel, or in the page", () => {
    const rules = readFileSync(join(DOCS, "alerts.yml"), "utf8");
    const page = readFileSync(join(DOCS, "README.md"), "utf8");
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts).toHaveLength(7);
    for (const alert of alerts) expect(page).toContain(`| \`${alert}\``);
  });
});

describe("a query of the dashboard", () => {
  it("gets its variables", () => {
    expect(withVariables('rate(a{job=~"$job",limiter=~"$limiter"}[$__rate_interval])', "4s")).toBe(
      'rate(a{job=~".*",limiter=~".*"}[4s])',
    );
    expect(variableQueries()).toEqual([
      "count by (job) (rate_limit_acquire_total)",
      'count by (limiter) (rate_limit_acquire_total{job=~".*"})',
    ]);
  });
});
