import { fileURLToPath } from "node:url";

/** The bench runs compiled: this file is `bench/dist/orchestrate/paths.js`. */
const BENCH = new URL("../../", import.meta.url);

export const CHILD: string = fileURLToPath(new URL("dist/child.js", BENCH));
export const MANIFEST: URL = new URL("package.json", BENCH);
export const LATEST: URL = new URL("results/latest.json", BENCH);
export const RECORDED: URL = new URL("recorded.json", BENCH);
export const PAGE: URL = new URL("../docs/bench.md", BENCH);
export const FLOOR_SOURCE: string = fileURLToPath(new URL("floor/floor.c", BENCH));
/** Next to what was compiled, and ignored by git as it is. */
export const FLOOR_PROGRAM: string = fileURLToPath(new URL("dist/floor/floor", BENCH));
