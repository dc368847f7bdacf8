import { describe, expect, it } from "vitest";
import { formatFor } from "../../../src/admin/exposition/accepted-format.ts";

/** What Prometheus 2.42 sends. */
const PROMETHEUS =
  "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75," +
  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

describe("the format of metrics", () => {
  it.each([
    PROMETHEUS,
    "application/openmetrics-text",
    "Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8",
    "text/plain;q=0.5, application/openmetrics-text;q=0.5",
  ])("is OpenMetrics for Accept: %s", (accept) => {
    expect(formatFor(accept)).toBe("openmetrics");
  });

  it.each([
    undefined,
    "",
    "*/*",
    "text/html,*/*;q=0.8",
    "text/plain;version=0.0.4",
    "text/plain, application/openmetrics-text;q=0.9",
    "application/openmetrics-text;version=0.0.1",
    "application/openmetrics-text;q=0",
    "application/openmetrics-text;q=2",
    "application/openmetrics-texts",
    ";;,=,q=1",
  ])("is text for Accept: %s", (accept) => {
    expect(formatFor(accept)).toBe("text");
  });
});
