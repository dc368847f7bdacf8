/** A metric as prom-client gives it (`getMetricsAsJSON`). */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly values: readonly Sample[];
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** The name of a sample that is not named as its family, such as one with `_bucket`. */
  readonly metricName?: string;
}

export interface ExpositionFormat {
  readonly contentType: string;
  write(families: readonly Family[]): string;
}

/** The text format 0.0.4 (prometheus.io, "Exposition formats"). */
export const TEXT: ExpositionFormat = {
  contentType: "text/plain; version=0.0.4; charset=utf-8",
  write: (families) => families.map((family) => textOf(family, PLAIN)).join(""),
};

/**
 * OpenMetrics 1.0. prom-client's own writer renames the counters of a registry for good, so it can serve one format
 * only.
 */
export const OPEN_METRICS: ExpositionFormat = {
  contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  write: (families) => `${families.map((family) => textOf(family, OPEN)).join("")}# EOF\n`,
};

/** Where the two formats differ. */
interface Dialect {
  familyName(family: Family): string;
  sampleName(family: Family, sample: Sample): string;
  escapeHelp(help: string): string;
  /** The bounds of buckets and the quantiles of summaries are numbers in labels. */
  numberInLabel(number: number): string;
}

const PLAIN: Dialect = {
  familyName: ({ name }) => name,
  sampleName: ({ name }, { metricName = name }) => metricName,
  escapeHelp: (help) => help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n"),
  numberInLabel: numberText,
};

const TOTAL = /_total$/;

const OPEN: Dialect = {
  familyName: ({ name, type }) => (type === "counter" ? name.replace(TOTAL, "") : name),
  sampleName: ({ name, type }, { metricName = name }) =>
    type === "counter" ? `${name.replace(TOTAL, "")}_total` : metricName,
  escapeHelp: escapeLabel,
  numberInLabel: canonicalNumber,
};

function textOf(family: Family, dialect: Dialect): string {
  const name = dialect.familyName(family);
  const lines = [`# HELP ${name} ${dialect.escapeHelp(family.help)}`, `# TYPE ${name} ${family.type}`];
  for (const sample of family.values) {
    const labels = Object.entries(sample.labels).map(
      ([label, value]) => `${label}="${labelText(label, value, dialect)}"`,
    );
    const set = labels.length === 0 ? "" : `{${labels.join(",")}}`;
    lines.push(`${dialect.sampleName(family, sample)}${set} ${numberText(sample.value)}`);
  }
  return `${lines.join("\n")}\n`;
}

function labelText(label: string, value: string | number, dialect: Dialect): string {
  const isNumber = label === "le" || label === "quantile";
  return isNumber
    ? dialect.numberInLabel(Number(value === "+Inf" ? Number.POSITIVE_INFINITY : value))
    : escapeLabel(String(value));
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** `String` has another spelling of the infinities. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

/** OpenMetrics writes 1 as `1.0`, a million as `1e+06` and a microsecond as `1e-06`, so that all exposers agree. */
function canonicalNumber(value: number): string {
  const size = Math.abs(value);
  if (size === Number.POSITIVE_INFINITY || value === 0 || (size >= 1e-4 && size < 1e6)) {
    return Number.isInteger(value) ? `${value}.0` : numberText(value);
  }
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
