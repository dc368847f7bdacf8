import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { programPath } from "./prometheus.ts";

const RULES = join(import.meta.dirname, "../../docs/observability/alerts.yml");
const RULE_TESTS = join(import.meta.dirname, "alerts.test.yml");

function promtool(...args: string[]): string {
  return execFileSync(programPath("promtool"), args, { encoding: "utf8" });
}

describe("the alert rules", () => {
  it("are correct, says promtool", () => {
    expect(promtool("check", "rules", RULES)).toContain("SUCCESS: 8 rules found");
  });

  it("fire when they should, and are silent otherwise, says promtool", () => {
    expect(promtool("test", "rules", RULE_TESTS)).toContain("SUCCESS");
  });
});
