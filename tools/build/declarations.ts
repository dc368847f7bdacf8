import { readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";

/** The specifiers of a declaration file's imports from its own package. */
const RELATIVE = /((?:from|import\()\s*")(\.[^"]+)\.[jt]s(")/g;

/** TypeScript before 5.2 has no such library. The package brings its types, like the types of Node do. */
const DISPOSABLE_LIBRARY = /^\/\/\/ <reference lib="esnext\.disposable".*$/m;
const DISPOSABLE = "chunks/disposable.d.cts";
const DISPOSABLE_TYPES = `interface SymbolConstructor {
  readonly dispose: unique symbol;
  readonly asyncDispose: unique symbol;
}

interface Disposable {
  [Symbol.dispose](): void;
}

interface AsyncDisposable {
  [Symbol.asyncDispose](): PromiseLike<void>;
}
`;

/**
 * The declarations that the entries reach. They are CommonJS declarations, which ES modules may import too. So each
 * entry has one `.d.ts` that re-exports its `.d.cts`, and both module systems share all types. `folder` has what the
 * compiler emitted.
 */
export function declarations(folder: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>([[DISPOSABLE, DISPOSABLE_TYPES]]);
  for (const name of entries) files.set(`${name}.d.ts`, `export * from "./${basename(name)}.cjs";\n`);
  const waiting = [...entries];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (files.has(`${name}.d.cts`)) continue;
    const text = readFileSync(join(folder, `${name}.d.ts`), "utf8");
    const disposable = `/// <reference path="${posix.relative(posix.dirname(name), DISPOSABLE)}" />`;
    files.set(`${name}.d.cts`, text.replace(RELATIVE, "$1$2.cjs$3").replace(DISPOSABLE_LIBRARY, disposable));
    for (const [, , target = ""] of text.matchAll(RELATIVE)) waiting.push(posix.join(posix.dirname(name), target));
  }
  return files;
}
