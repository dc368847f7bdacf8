import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "../../docs/observability/dashboard.json");

export interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

/** A panel or, without targets, a row. */
export interface Panel {
  readonly title: string;
  readonly type: "timeseries" | "row";
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string;
      readonly max?: number;
      readonly mappings?: readonly { readonly options: Readonly<Record<string, { readonly text: string }>> }[];
      readonly custom: {
        readonly stacking: { readonly mode: "normal" | "none" };
        readonly scaleDistribution: { readonly type: "linear" | "log" };
      };
    };
  };
  readonly targets?: readonly Target[];
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

/** A series' name in the legend. */
export function legendOf({ legendFormat }: Target, labels: Readonly<Record<string, string>>): string {
  return legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_whole, label: string) => labels[label] ?? "");
}
