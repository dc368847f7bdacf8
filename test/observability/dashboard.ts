import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "../../docs/observability/dashboard.json");

/** A panel or, without targets, a row. */
interface Panel {
  readonly title: string;
  readonly type: "timeseries" | "row";
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

interface Variable {
  readonly name: string;
  readonly query: string | { readonly query: string };
}

interface Dashboard {
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

export const dashboard: Dashboard = JSON.parse(readFileSync(FILE, "utf8")) as Dashboard;

/** The queries of the variables, as Prometheus takes them: `label_values` is a function of Grafana. */
export function variableQueries(): string[] {
  return dashboard.templating.list.flatMap(({ query }) => {
    if (typeof query === "string") return [];
    const [, metric, label] = /^label_values\((.+), (\w+)\)$/.exec(query.query) ?? [];
    return [`count by (${label}) (${withVariables(metric ?? query.query, "1m")})`];
  });
}

/** A query with its variables filled in: all of each, and rates over the given time. */
export function withVariables(query: string, rateInterval: string): string {
  return query.replaceAll("$__rate_interval", rateInterval).replaceAll(/"\$\w+"/g, '".*"');
}
