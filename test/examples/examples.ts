import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import { expect, vi } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import library from "../../packages/tollgate/package.json" with { type: "json" };
import { blocksOf, type CodeBlock, pagesAndSources, promisedOutput, REPOSITORY } from "./code-blocks.ts";

export interface Example extends CodeBlock {
  /** Where it is written to run. */
  readonly file: string;
}

/** The examples that a test file compiles or runs, in a folder of its process: two runs may overlap. */
export class Examples {
  readonly folder: string;
  readonly list: readonly Example[];

  constructor(isIncluded: (example: CodeBlock) => boolean) {
    this.folder = join(REPOSITORY, "test/examples/.generated", `${process.pid}-${randomUUID()}`);
    this.list = pagesAndSources()
      .flatMap(blocksOf)
      .filter((block) => block.language === "ts" && !needsPackages(block) && isIncluded(block))
      .map((block, index) => ({ ...block, file: join(this.folder, ownNameOf(block) ?? `example-${index}.ts`) }));
  }

  write(): void {
    mkdirSync(this.folder, { recursive: true });
    for (const { file, code } of this.list) writeFileSync(file, `${code}export {};\n`);
    // For Nest's page.
    const compilerOptions = { experimentalDecorators: true };
    const config = { extends: "../../../../tsconfig.tests.json", compilerOptions, include: ["*.ts"], references: [] };
    writeFileSync(join(this.folder, "tsconfig.json"), JSON.stringify(config));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The name that a block states in its first line, `// map-store.ts`. Other examples import it by that name. */
function ownNameOf({ code }: CodeBlock): string | undefined {
  return /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1];
}

/** Other examples import it. */
export function hasName(block: CodeBlock): boolean {
  return ownNameOf(block) !== undefined;
}

/** It is a test file itself. */
export function isTest({ code }: CodeBlock): boolean {
  return code.includes('from "vitest"');
}

const OF_WORKSPACE = new Set(["tollgate", ...Object.keys({ ...manifest.devDependencies, ...library.devDependencies })]);

/** It imports packages that the workspace does not have: `recipes.deep.test.ts` runs it. */
export function needsPackages({ code }: CodeBlock): boolean {
  const imported = [...code.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => String(name));
  return imported.some((name) => name !== "node" && !OF_WORKSPACE.has(name));
}

/** It connects to a Redis server, at REDIS_URL. */
export function needsRedis({ code }: CodeBlock): boolean {
  return code.includes("REDIS_URL");
}

/** It connects to a PostgreSQL server, at DATABASE_URL. */
export function needsPostgres({ code }: CodeBlock): boolean {
  return code.includes("DATABASE_URL");
}

/**
 * Runs an example: each `console.log` prints what the comment behind it says. The system's clock stands still
 * meanwhile, so that no unit refills on a busy machine.
 */
export async function expectPromisedOutput({ file, code }: Example): Promise<void> {
  const printed: string[] = [];
  // A fake `performance` is that of the start of the process, so `Date` has to be, too.
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: performance.timeOrigin });
  const log = vi.spyOn(console, "log").mockImplementation((...values) => void printed.push(format(...values)));
  try {
    await import(file);
  } finally {
    log.mockRestore();
    vi.useRealTimers();
  }
  expect(printed).toEqual(promisedOutput(code));
}
