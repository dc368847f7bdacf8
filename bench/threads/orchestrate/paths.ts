import { fileURLToPath } from "node:url";

/** The bench runs compiled: this file is `bench/dist/threads/orchestrate/paths.js`. */
const BENCH = new URL("../../../", import.meta.url);

export const THREADS_CHILD: string = fileURLToPath(new URL("dist/threads-child.js", BENCH));
export const RUST_SOURCE: string = fileURLToPath(new URL("threads/rust/main.rs", BENCH));
/** Next to what was compiled, and ignored by git as it is. */
export const RUST_PROGRAM: string = fileURLToPath(new URL("dist/threads/rust/floor", BENCH));
