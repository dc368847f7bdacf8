import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configurationLines } from "../../src/envoy/configuration-lines.ts";
import { configurationOf } from "./configurations.ts";

it("docs/from-envoy-ratelimit.md shows a configuration without a mistake", () => {
  const page = readFileSync(new URL("../../../../docs/from-envoy-ratelimit.md", import.meta.url), "utf8");
  const [, text = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const configuration = configurationOf(text);
  expect(configurationLines(configuration).split("\n")).toHaveLength(8);
  const match = (...values: string[]) =>
    configuration.get("edge")?.match(values.map((value) => ({ key: "remote_address", value })))?.rule.requestsPerUnit;
  expect(["203.0.113.1", "192.0.2.9", "198.51.100.7"].map((address) => match(address))).toEqual([100, 1000, 500]);
});
