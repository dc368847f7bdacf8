/** Compiles the library and `walk-program.ts`, one file a module, and runs the program. Needs no build. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { resolve } from "../test-tiers.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
// Inside of node_modules, so that the program finds its packages.
const OUT = join(ROOT, "node_modules/.cache/walk");

const bundled = await rolldown({
  input: join(ROOT, "tools/weight/walk-program.ts"),
  platform: "node",
  treeshake: false,
  tsconfig: false,
  plugins: [
    {
      name: "sources",
      resolveId: (id) => resolve.alias.find(({ find }) => find.test(id))?.replacement ?? null,
    },
  ],
  external: (id) => !/^(?:[./]|tollgate)/.test(id),
});
await bundled.write({ dir: OUT, format: "es", preserveModules: true, preserveModulesRoot: ROOT, cleanDir: true });
await bundled.close();
const { status } = spawnSync(process.execPath, [join(OUT, "tools/weight/walk-program.js"), ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
