import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "./support/planted-workspace.ts";
import { run } from "./support/run.ts";
import { plant, remove, temporaryFolder } from "./support/temporary-folder.ts";

const STEPS = ["ci", "run check", "run test:deep", "test"];

describe(".ci/run", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => remove(folder));

  /** Runs the script with an npm that only says what it was asked, and fails where it is told to. */
  async function runWith(
    failing: string,
  ): Promise<{ readonly status: number | null; readonly lines: readonly string[] }> {
    plant(folder, { npm: `#!/bin/sh\necho "$PWD: $*"\n[ "$*" != "${failing}" ] || exit 3\n` });
    chmodSync(join(folder, "npm"), 0o755);
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const { status, stdout } = await run(join(REPOSITORY, ".ci/run"), [], { cwd: folder, env });
    return { status, lines: stdout.trimEnd().split("\n") };
  }

  const root = REPOSITORY.replace(/\/$/, "");

  it("installs, checks and tests, in the repository", async () => {
    expect(await runWith("nothing")).toEqual({ status: 0, lines: STEPS.map((step) => `${root}: ${step}`) });
  });

  it.each(STEPS)("stops and fails where `npm %s` fails", async (step) => {
    const lines = STEPS.slice(0, STEPS.indexOf(step) + 1).map((done) => `${root}: ${done}`);
    expect(await runWith(step)).toEqual({ status: 3, lines });
  });
});
