import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
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

describe("the configuration of Prometheus in the docs", () => {
  it("is correct, says promtool", () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-promtool-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const page = readFileSync(join(RULES, "../README.md"), "utf8");
    const [, block = ""] = /```yaml\n(.+?)```/s.exec(page) ?? [];
    const file = join(folder, "prometheus.yml");
    writeFileSync(file, block.replaceAll(/^ {3}/gm, ""));
    expect(promtool("check", "config", "--syntax-only", file)).toContain("SUCCESS");
  });
});
