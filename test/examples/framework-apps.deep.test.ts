import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runNode } from "../support/run.ts";
import { blocksOf } from "./code-blocks.ts";
import { createUserProject } from "./user-project.ts";

const root = await createUserProject();

/** Writes the files of an application, beside the installed packages. */
function createApp(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(root, name);
  for (const [file, text] of Object.entries({ "package.json": '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** The block of a recipe whose first line names this file. */
function blockNamed(page: string, file: string): string {
  const block = blocksOf(page).find(({ code }) => code.startsWith(`// ${file}\n`));
  if (block === undefined) throw new Error(`${page} has no ${file}`);
  return block.code;
}

describe("the limit of a recipe, in a real application", () => {
  it("limits the requests of SvelteKit's server", async () => {
    const [hook = ""] = blockNamed("docs/recipes/sveltekit.md", "src/hooks.server.ts").split("// What SvelteKit does");
    const folder = createApp("sveltekit", {
      "vite.config.js": 'import { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit()] };\n',
      "src/app.html": "<!doctype html><head>%sveltekit.head%</head><body>%sveltekit.body%</body>",
      "src/hooks.server.ts": hook,
      "src/routes/report/+server.ts": "export const GET = () => Response.json({ pages: 3 });\n",
      "run.js": `
        import { build, preview } from "vite";
        await build({ logLevel: "silent" });
        const { resolvedUrls } = await preview({ preview: { port: 0, host: "127.0.0.1" }, logLevel: "silent" });
        for (let i = 0; i < 3; i += 1) {
          const response = await fetch(resolvedUrls.local[0] + "report");
          console.error(response.status, response.headers.get("ratelimit"), await response.text());
        }
        process.exit();
      `,
    });
    const { stderr } = await runNode(folder, ["run.js"]);
    expect(stderr.trim().split("\n").slice(-3)).toEqual([
      '200 "2-per-1m";r=1;t=30 {"pages":3}',
      expect.stringMatching(/^200 "2-per-1m";r=0;t=(29|30) /),
      expect.stringMatching(/^429 "2-per-1m";r=0;t=(29|30) .*"rate limit exceeded"/),
    ]);
  });

  it("limits a server of h3 1, as Nuxt starts it", async () => {
    const folder = createApp("nuxt", {
      "server/middleware/limit.js": blockNamed("docs/recipes/h3.md", "server/middleware/limit.js"),
      "run.js": `
        import { once } from "node:events";
        import { createServer } from "node:http";
        import { createApp, eventHandler, toNodeListener } from "h3";
        import limit from "./server/middleware/limit.js";
        const app = createApp().use(limit).use("/report", eventHandler(() => ({ pages: 3 })));
        const server = createServer(toNodeListener(app)).listen(0, "127.0.0.1");
        await once(server, "listening");
        const url = "http://127.0.0.1:" + server.address().port + "/report";
        const first = await fetch(url);
        console.log(first.status, first.headers.get("ratelimit"), await first.text());
        const others = await Promise.all(Array.from({ length: 109 }, () => fetch(url)));
        console.log(others.filter(({ status }) => status === 429).length > 0);
        process.exit();
      `,
    });
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(join(root, "node_modules/h3-1"), join(folder, "node_modules/h3"));
    const { stdout, stderr } = await runNode(folder, ["run.js"]);
    expect({ stdout, stderr }).toEqual({
      stdout: '200 "100-per-1m";r=99;t=1 {"pages":3}\ntrue\n',
      stderr: "",
    });
  });
});
