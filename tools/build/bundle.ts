import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { page } from "./page.ts";

/** Bundled, because its newest versions have no CommonJS build. The other dependencies stay imports. */
const BUNDLED = /^@noble\/hashes\//;
const PACKAGE = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/;

const FORMATS: readonly OutputOptions[] = [
  { format: "es", entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" },
  { format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "chunks/[name].cjs" },
];

/** What rolldown writes for each export of a shared CommonJS chunk. None is assigned again, so a value will do. */
const GETTER =
  /Object\.defineProperty\(exports, "(\w+)", \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);/g;

/**
 * The modules of the entries, for `import` and for `require`, and the licenses of the packages inside. Code that
 * several entries use is in chunks.
 */
export async function bundle(sources: string, entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const modulesOfPage: string[] = [];
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(sources, `${name}.ts`)])),
    external: (id) => !(id.startsWith(".") || id.startsWith("/") || BUNDLED.test(id)),
    platform: "neutral",
    transform: { target: "es2023" },
    tsconfig: false,
    // The path of each module would be 2 % of the package.
    experimental: { attachDebugInfo: "none" },
    plugins: [pageFiles(sources, modulesOfPage)],
    // Its message says that the machine was busy, and would fail the build.
    checks: { bundlerTimings: false },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  const chunks: OutputChunk[] = [];
  for (const format of FORMATS) {
    const { output } = await bundled.generate({
      ...format,
      comments: { jsdoc: false },
      exports: "named",
      minify: false,
    });
    chunks.push(...output.filter((chunk) => chunk.type === "chunk"));
  }
  await bundled.close();
  const built = new Map(chunks.map(({ fileName, code }) => [fileName, code.replaceAll(GETTER, "exports.$1 = $2;")]));
  return built.set("LICENSES.txt", licensesOf([...chunks.flatMap(({ moduleIds }) => moduleIds), ...modulesOfPage]));
}

/** Puts the page into the module that the sources have in its place. */
function pageFiles(sources: string, modulesOfPage: string[]): Plugin {
  return {
    name: "page",
    load: async (id) => {
      if (!id.endsWith("/dashboard/page-files.ts")) return null;
      const { modules, ...files } = await page(sources);
      modulesOfPage.push(...modules);
      return `export const PAGE_FILES = ${JSON.stringify(files)};`;
    },
  };
}

function licensesOf(modules: readonly string[]): string {
  const folders = new Map<string, string>();
  for (const module of modules) {
    const [folder, name] = PACKAGE.exec(module) ?? [];
    if (folder !== undefined && name !== undefined) folders.set(name, folder);
  }
  const texts = [...folders].map(([name, folder]) => `${name}\n\n${readFileSync(join(folder, "LICENSE"), "utf8")}`);
  return texts.join("\n");
}
