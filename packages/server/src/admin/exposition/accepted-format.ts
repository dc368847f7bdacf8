/** A media range with its parameters, such as `text/plain;version=0.0.4;q=0.5`. */
interface MediaRange {
  readonly type: string;
  readonly version: string | undefined;
  readonly quality: number;
}

/**
 * The format that `Accept` prefers. The text format is for clients that do not ask, and for those that accept neither:
 * a person with a browser is better served by it than by 406.
 */
export function formatFor(accept: string | undefined): "text" | "openmetrics" {
  const ranges = (accept ?? "").split(",").map(mediaRange);
  const openMetrics = qualityOf(
    ranges.filter(({ type, version = "1.0.0" }) => type === "application/openmetrics-text" && version === "1.0.0"),
  );
  const text = qualityOf(ranges.filter(({ type, version = "0.0.4" }) => type === "text/plain" && version === "0.0.4"));
  return openMetrics > 0 && openMetrics >= text ? "openmetrics" : "text";
}

function mediaRange(text: string): MediaRange {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim().toLowerCase());
  const parameters = new Map(rest.map((part) => part.split("=", 2) as [string, string]));
  const quality = Number(parameters.get("q") ?? 1);
  return { type, version: parameters.get("version"), quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

function qualityOf(ranges: readonly MediaRange[]): number {
  return Math.max(0, ...ranges.map(({ quality }) => quality));
}
