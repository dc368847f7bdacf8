import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "./support/planted-workspace.ts";
import { run } from "./support/run.ts";
import { plant, remove, temporaryFolder } from "./support/temporary-folder.ts";

const QUICK = "vitest run --config vitest.config.ts";
const DEEP = "vitest run --config vitest.deep.config.ts";
const STEPS = ["ci", "run check", QUICK, "run install:deep", DEEP];

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

  /**
   * Runs the script with an npm and an npx that only print their arguments, and then run `steps[arguments]` as a shell
   * script.
   */
  async function runWith(steps: Readonly<Record<string, string>>): Promise<CiRun> {
    const cases = Object.entries(steps).map(([step, script]) => `"${step}") ${script};;`);
    const stub = `#!/bin/sh\necho "step $PWD: $*"\ncase "$*" in\n${cases.join("\n")}\nesac\n`;
    plant(folder, { npm: stub, npx: stub });
    for (const name of ["npm", "npx"]) chmodSync(join(folder, name), 0o755);
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const { status, stdout } = await run(join(REPOSITORY, ".ci/run"), [], { cwd: folder, env });
    const lines = stdout.trimEnd().split("\n");
    const printed = lines.filter((line) => line.startsWith("step ")).map((line) => line.slice("step ".length));
    return { status, steps: printed, lastLine: lines.at(-1) };
  }

  const root = REPOSITORY.replace(/\/$/, "");
  const upTo = (step: string) => STEPS.slice(0, STEPS.indexOf(step) + 1).map((done) => `${root}: ${done}`);
  const counts = (line: string) => `echo ${line} >>"$TOLLGATE_COUNTS"`;

  const good = { [QUICK]: counts("100 0 2"), [DEEP]: counts("20 0 1") };
  it.each([
    ["succeeds with the sum of both tiers' counts", good, 0, DEEP, "120 passed, 0 failed, 3 skipped"],
    ["stops without an installation, a failure", { ci: "exit 3" }, 3, "ci", "0 passed, 1 failed, 0 skipped"],
    ["stops at a failed check, a failure", { "run check": "exit 3" }, 3, "run check", "0 passed, 1 failed, 0 skipped"],
    [
      "runs the deep tier though the quick tier fails, and fails at the end",
      { ...good, [QUICK]: `${counts("98 2 0")}; exit 1` },
      ...([1, DEEP, "118 passed, 2 failed, 1 skipped"] as const),
    ],
    [
      "runs no deep test where something is missing that they start",
      { ...good, "run install:deep": "exit 1" },
      ...([1, "run install:deep", "100 passed, 1 failed, 2 skipped"] as const),
    ],
    [
      "fails where the deep tier fails without the names of tests",
      { ...good, [DEEP]: `${counts("19 1 0")}; exit 1` },
      ...([1, DEEP, "119 passed, 1 failed, 2 skipped"] as const),
    ],
    [
      "counts one failure where a tier ends without its counts",
      { ...good, [DEEP]: "exit 7" },
      ...([7, DEEP, "100 passed, 1 failed, 2 skipped"] as const),
    ],
  ])("%s", async (_title, steps, status, last, lastLine) => {
    expect(await runWith(steps)).toEqual({ status, steps: upTo(last), lastLine });
  });

  it("installs meanwhile what the deep tier starts, and waits for it before that tier", async () => {
    const [begun, installed] = [join(folder, "begun"), join(folder, "installed")];
    const steps = {
      // The second time it finds everything installed.
      "run install:deep": `mkdir ${begun} 2>&- || exit 0; sleep 0.5; touch ${installed}`,
      ci: `test ! -e ${installed} || exit 1`,
      [DEEP]: `test -e ${installed} && ${counts("20 0 0")}`,
    };
    expect(await runWith(steps)).toMatchObject({ status: 0, lastLine: "20 passed, 0 failed, 0 skipped" });
  });
});
