import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** The dashboard's page: one minified script with Preact and uPlot, one style sheet, and the modules of the script. */
interface Page {
  readonly script: string;
  readonly style: string;
  readonly modules: readonly string[];
}

export async function page(sources: string): Promise<Page> {
  const folder = join(sources, "dashboard/page");
  const bundled = await rolldown({
    input: join(folder, "page.tsx"),
    platform: "browser",
    transform: { target: "es2023", jsx: { runtime: "automatic", importSource: "preact" } },
    tsconfig: false,
    experimental: { attachDebugInfo: "none" },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  const { output } = await bundled.generate({ format: "es", minify: true, codeSplitting: false });
  await bundled.close();
  const [chunk] = output;
  const charts = readFileSync(createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css"), "utf8");
  const style = minifiedStyle(readFileSync(join(folder, "page.css"), "utf8"));
  return { script: chunk.code, style: `${charts}${style}`, modules: chunk.moduleIds };
}

/** Without comments and indentation. */
function minifiedStyle(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*/g, "")
    .replace(/\s*([{:;,])\s+/g, "$1");
}
