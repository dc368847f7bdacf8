import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { FRAMEWORKS } from "../../site/frameworks.ts";
import { freePort } from "../support/free-port.ts";
import { remove } from "../support/temporary-folder.ts";

const SITE = fileURLToPath(new URL("../../site", import.meta.url));
// Inside the repository, so that the programs find its packages. They have no types, but one has decorators.
mkdirSync(join(SITE, ".generated"), { recursive: true });
const folder = mkdtempSync(join(SITE, ".generated/start-"));
writeFileSync(join(folder, "tsconfig.json"), '{ "compilerOptions": { "experimentalDecorators": true } }');
const ELEVEN = [...Array.from({ length: 10 }, () => 200), 429];

afterAll(() => remove(folder));

describe("a start page's program", () => {
  it.each(FRAMEWORKS.map(({ id }) => id).filter((id) => id !== "fetch"))(
    "of %s answers ten requests, and the eleventh with 429",
    async (id) => {
      const port = await freePort();
      const program = programOf(id).replace("3000", String(port));
      writeFileSync(join(folder, `${id}.mts`), program);
      const args = ["--import", "tsx", join(folder, `${id}.mts`)];
      const env = { ...process.env, TSX_TSCONFIG_PATH: join(folder, "tsconfig.json") };
      const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
      const ended = once(child, "exit");
      try {
        expect(await statuses(child, `http://127.0.0.1:${port}/`)).toEqual(ELEVEN);
      } finally {
        child.kill();
        await ended;
      }
    },
  );

  it("of fetch handlers answers ten requests, and the eleventh with 429", async () => {
    const { default: handler } = await import("../../site/start/fetch.ts");
    const seen: number[] = [];
    for (const _ of ELEVEN) {
      const request = new Request("http://localhost:3000/", { headers: { "X-API-Key": "ann" } });
      seen.push((await handler.fetch(request)).status);
    }
    expect(seen).toEqual(ELEVEN);
  });

  it.each(FRAMEWORKS)("of $id has ten lines at most, without imports and blank lines", ({ id }) => {
    const lines = programOf(id).split("\n");
    expect(lines.filter((line) => line !== "" && !line.startsWith("import")).length).toBeLessThanOrEqual(10);
  });
});

function programOf(id: string): string {
  return readFileSync(join(SITE, `start/${id}.ts`), "utf8");
}

/** The statuses of eleven requests, once the program listens. */
async function statuses(child: ChildProcess, url: string): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < ELEVEN.length) {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`);
    try {
      seen.push((await fetch(url)).status);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  return seen;
}
