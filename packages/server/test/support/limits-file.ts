import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LimitsSettings } from "../../src/limits/limits-settings.ts";

export interface TestLimitsFile {
  readonly path: string;
  /** The settings of a service over it, in memory. */
  readonly application: LimitsSettings;
  /** Replaces the file, as editors do. */
  write(text: string): Promise<void>;
}

/** A limits file in a folder of its own, removed when the test is over. */
export async function limitsFile(text: string): Promise<TestLimitsFile> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "limits.yaml");
  const write = async (changed: string): Promise<void> => {
    await writeFile(`${path}.new`, changed);
    await rename(`${path}.new`, path);
  };
  await write(text);
  const application: LimitsSettings = {
    kind: "limits",
    path,
    shadow: false,
    checkDomain: undefined,
    redis: undefined,
    redisTimeout: "100ms",
    hybrid: false,
    maxKeys: 1_000,
    sweepInterval: "1m",
  };
  return { path, application, write };
}
