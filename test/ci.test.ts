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
  readonly lines: readonly string[];
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
    return { status, steps: printed, lines, lastLine: lines.at(-1) };
  }

  const root = REPOSITORY.replace(/\/$/, "");
  const upTo = (step: string) => STEPS.slice(0, STEPS.indexOf(step) + 1).map((done) => `${root}: ${done}`);
  const counts = (line: string) => `echo ${line} >>"$TOLLGATE_COUNTS"`;

  it("installs, checks and runs both tiers in the repository, and ends with the sum of their counts", async () => {
    const steps = { [QUICK]: counts("100 0 2"), [DEEP]: counts("20 0 1") };
    const lastLine = "120 passed, 0 failed, 3 skipped";
    expect(await runWith(steps)).toMatchObject({ status: 0, steps: upTo(DEEP), lastLine });
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

  it.each(["ci", "run check"])("stops where `npm %s` fails, and counts that as one failure", async (step) => {
    const lastLine = "0 passed, 1 failed, 0 skipped";
    expect(await runWith({ [step]: "exit 3" })).toMatchObject({ status: 3, steps: upTo(step), lastLine });
  });

  it("runs the deep tier though the quick tier fails, and fails at the end", async () => {
    const steps = { [QUICK]: `${counts("98 2 0")}; exit 1`, [DEEP]: counts("20 0 0") };
    const lastLine = "118 passed, 2 failed, 0 skipped";
    expect(await runWith(steps)).toMatchObject({ status: 1, steps: upTo(DEEP), lastLine });
  });

  it("runs no deep test where something is missing that they start", async () => {
    const steps = { [QUICK]: counts("100 0 0"), "run install:deep": "exit 1" };
    const lastLine = "100 passed, 1 failed, 0 skipped";
    expect(await runWith(steps)).toMatchObject({ status: 1, steps: upTo("run install:deep"), lastLine });
  });

  it("fails where the deep tier fails", async () => {
    const steps = { [QUICK]: counts("100 0 0"), [DEEP]: `${counts("19 1 0")}; exit 1` };
    const lastLine = "119 passed, 1 failed, 0 skipped";
    expect(await runWith(steps)).toMatchObject({ status: 1, steps: upTo(DEEP), lastLine });
  });

  const failed = (...tests: readonly string[]) =>
    `{ ${counts(`19 ${tests.length} 0`)}; printf 'failed: %s\\n' ${tests.map((test) => `'${test}'`).join(" ")} >"$TOLLGATE_COUNTS.failed"; exit 1; }`;
  const again = (...files: readonly string[]) =>
    `vitest run --config vitest.deep.config.ts --no-file-parallelism ${files.join(" ")}`;

  it("runs failed files once more, alone, and names what passes then", async () => {
    const steps = { [QUICK]: counts("100 0 0"), [DEEP]: failed("a.test.ts > one", "b/c.test.ts > two > three") };
    const done = await runWith({ ...steps, [again("a.test.ts", "b/c.test.ts")]: "exit 0" });
    expect(done).toMatchObject({ status: 0, lastLine: "121 passed, 0 failed, 0 skipped" });
    expect(done.steps.at(-1)).toBe(`${root}: ${again("a.test.ts", "b/c.test.ts")}`);
    expect(done.lines).toContain("failed beside others, passed alone: b/c.test.ts > two > three");
  });

  it("fails where they fail again", async () => {
    const steps = { [QUICK]: counts("100 0 0"), [DEEP]: failed("a.test.ts > one") };
    const done = await runWith({ ...steps, [again("a.test.ts")]: "exit 1" });
    expect(done).toMatchObject({ status: 1, lastLine: "119 passed, 1 failed, 0 skipped" });
    expect(done.lines).toContain("failed: a.test.ts > one");
  });

  it.each([
    ["more than three files failed", failed("a.test.ts > 1", "b.test.ts > 2", "c.test.ts > 3", "d.test.ts > 4")],
    ["something failed outside of every file", failed("a.test.ts > one", "uncaught: no such server")],
  ])("does not try again where %s", async (_reason, deep) => {
    const done = await runWith({ [QUICK]: counts("100 0 0"), [DEEP]: deep });
    expect(done).toMatchObject({ status: 1, steps: upTo(DEEP) });
  });

  it("counts one failure where a tier ends without its counts", async () => {
    const steps = { [QUICK]: counts("100 0 0"), [DEEP]: "exit 7" };
    const lastLine = "100 passed, 1 failed, 0 skipped";
    expect(await runWith(steps)).toMatchObject({ status: 7, steps: upTo(DEEP), lastLine });
  });
});
