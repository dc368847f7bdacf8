import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";

/** The bench runs compiled: this file is `bench/dist/process/floor.js`. */
const SOURCE = fileURLToPath(new URL("../../process/floor.c", import.meta.url));

/** Compiles and runs `floor.c`. @throws Error without a compiler of C. */
export async function measureFloor(): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-floor-"));
  try {
    const program = join(folder, "floor");
    await run("cc", ["-O2", "-o", program, SOURCE]);
    return { ns: Number((await run(program, [])).stdout) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
