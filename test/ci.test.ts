import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "./support/planted-workspace.ts";
import { run } from "./support/run.ts";
import { plant, remove, temporaryFolder } from "./support/temporary-folder.ts";

const STEPS = ["ci", "run check", "test", "run test:deep"];

interface CiRun {
  readonly status: number | null;
  /** The steps in their order, each with the folder it ran in. */
  readonly steps: readonly string[];
  readonly lastLine: string | undefined;
}

describe(".ci/run", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => remove(folder));

  /** Runs the script with an npm that only prints its arguments, then runs `steps[arguments]` as a shell script. */
  async function runWith(steps: Readonly<Record<string, string>>): Promise<CiRun> {
    const cases = Object.entries(steps).map(([step, script]) => `"${step}") ${script};;`);
    plant(folder, { npm: `#!/bin/sh\necho "step $PWD: $*"\ncase "$*" in\n${cases.join("\n")}\nesac\n` });
    chmodSync(join(folder, "npm"), 0o755);
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const { status, stdout } = await run(join(REPOSITORY, ".ci/run"), [], { cwd: folder, env });
    const lines = stdout.trimEnd().split("\n");
    const printed = lines.filter((line) => line.startsWith("step ")).map((line) => line.slice("step ".length));
    return { status, steps: printed, lastLine: lines.at(-1) };
  }

  const root = REPOSITORY.replace(/\/$/, "");
  const upTo = (step: string) => STEPS.slice(0, STEPS.indexOf(step) + 1).map((done) => `${root}: ${done}`);
  const counts = (line: string) => `echo ${line} >>"$TOLLGATE_COUNTS"`;

  it("installs, checks and runs both tiers in the repository, and ends with the sum of their counts", async () => {
    const steps = { test: counts("100 0 2"), "run test:deep": counts("20 0 1") };
    const lastLine = "120 passed, 0 failed, 3 skipped";
    expect(await runWith(steps)).toEqual({ status: 0, steps: upTo("run test:deep"), lastLine });
  });

  it("installs meanwhile what the deep tier starts, and waits for it before that tier", async () => {
    const installed = join(folder, "installed");
    const steps = {
      "run install:deep": `sleep 0.5; touch ${installed}`,
      ci: `test ! -e ${installed} || exit 1`,
      "run test:deep": `test -e ${installed} && ${counts("20 0 0")}`,
    };
    expect(await runWith(steps)).toMatchObject({ status: 0, lastLine: "20 passed, 0 failed, 0 skipped" });
  });

  it.each(["ci", "run check"])("stops where `npm %s` fails, and counts that as one failure", async (step) => {
    const lastLine = "0 passed, 1 failed, 0 skipped";
    expect(await runWith({ [step]: "exit 3" })).toEqual({ status: 3, steps: upTo(step), lastLine });
  });

  it("runs the deep tier though the quick tier fails, and fails at the end", async () => {
    const steps = { test: `${counts("98 2 0")}; exit 1`, "run test:deep": counts("20 0 0") };
    const lastLine = "118 passed, 2 failed, 0 skipped";
    expect(await runWith(steps)).toEqual({ status: 1, steps: upTo("run test:deep"), lastLine });
  });

  it("fails where the deep tier fails", async () => {
    const steps = { test: counts("100 0 0"), "run test:deep": `${counts("19 1 0")}; exit 1` };
    const lastLine = "119 passed, 1 failed, 0 skipped";
    expect(await runWith(steps)).toEqual({ status: 1, steps: upTo("run test:deep"), lastLine });
  });

  it("counts one failure where a tier ends without its counts", async () => {
    const steps = { test: counts("100 0 0"), "run test:deep": "exit 7" };
    const lastLine = "100 passed, 1 failed, 0 skipped";
    expect(await runWith(steps)).toEqual({ status: 7, steps: upTo("run test:deep"), lastLine });
  });
});
