import { describe, expect, it } from "vitest";
import { type CommandOutcome, runCommand } from "../support/command-process.ts";
import { startTestService } from "../support/test-service.ts";

function refusedWith(code: 1 | 2, line: string): CommandOutcome {
  return { code, stdout: "", stderr: `tollgate: ${line}\n` };
}

describe("the command", () => {
  it.each<[string[], string]>([
    [["sevre"], 'expected the command serve, check, explain or replay, got "sevre"'],
    [["serve", "--capacity", "ten\n"], '--capacity: expected a whole number from 1 to 9007199254740991, got "ten\\n"'],
    [
      ["serve", "--refill-per-second", "9000001"],
      "refill: expected at most 9 units per microsecond, got 9000001 in 1000000 µs; " +
        "count in larger units (kilobytes instead of bytes)",
    ],
  ])("refuses %j in one line and exits with 2", async (args, line) => {
    expect(await runCommand(args)).toEqual(refusedWith(2, line));
  });

  it("names a port in use in one line and exits with 1", async () => {
    const { url } = await startTestService();
    const { port } = new URL(url);
    expect(await runCommand(["serve", "--port", port])).toEqual(
      refusedWith(1, `--port: expected a free port, got ${port}, which is in use on 127.0.0.1`),
    );
  });

  it("checks a limits file, and exits with 1 if it is wrong", async () => {
    const file = "examples/limits-file/limits.yaml";
    expect(await runCommand(["check", file])).toEqual({
      code: 0,
      stdout: `${file}: 2 rules in 1 domain\n`,
      stderr: "",
    });
    const stderr = "absent.yaml: expected a file that can be read, got ENOENT\n";
    expect(await runCommand(["check", "absent.yaml"])).toEqual({ code: 1, stdout: "", stderr });
  });
});
