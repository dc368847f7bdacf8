import { fileURLToPath } from "node:url";

/** The bench runs compiled: this file is `bench/dist/redis/paths.js`. */
const BENCH = new URL("../../", import.meta.url);

export const CHILD: string = fileURLToPath(new URL("dist/redis-child.js", BENCH));
export const MANIFEST: URL = new URL("package.json", BENCH);
export const RESULTS: URL = new URL("results/redis.json", BENCH);
export const PAGE: URL = new URL("../docs/bench-redis.md", BENCH);
