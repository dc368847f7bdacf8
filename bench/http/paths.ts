import { fileURLToPath } from "node:url";

/** The bench runs compiled: this file is `bench/dist/http/paths.js`. */
const BENCH = new URL("../../", import.meta.url);

export const SERVER: string = fileURLToPath(new URL("dist/http-server.js", BENCH));
export const MANIFEST: URL = new URL("package.json", BENCH);
export const RESULTS: URL = new URL("results/http.json", BENCH);
export const PAGE: URL = new URL("../docs/bench-http.md", BENCH);
