import { spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Copies are inside the workspace, so that imports find its packages. Git ignores them. Each run has its own. */
const ALL_COPIES = join(ROOT, ".mutants");
const COPIES = join(ALL_COPIES, String(process.pid));
const LIBRARY = join("packages", "tollgate");
/**
 * The tests that run on a mutant, by what its path begins with. Some import the copy's source, and other tests, by
 * relative paths. Those of `stores/redis` start servers.
 */
const TESTED: readonly (readonly [path: string, tests: readonly string[]])[] = [
  ["config", ["config"]],
  ["http", ["http", "adapters"]],
  ["limiter", ["limiter", "properties", "config/consume-all", "config/domain"]],
  ["metrics", ["metrics/hot-keys"]],
  ["stores/hybrid", ["stores/redis/simulation.test", "stores/redis/hybrid/hybrid-store"]],
  ["stores/redis/script/correction", ["stores/redis/simulation.test"]],
  ["stores/redis/receipts", ["stores/redis/reservations"]],
  ["stores/redis/batch", ["stores/redis/batch", "stores/redis/denials"]],
  ["", ["algorithms", "properties", "stores/rows", "stores/shared/revoke", "limiter/block", "testing/store-contract"]],
];
/** These read what is built, compile programs of their own, or import what is not in the copy. */
const LEFT_OUT = /\/(?:allocation|compile-errors|config\/documentation|config\/schema)[^/]*$/;
const COPIED = ["src", "test"];
const MODULES = "node_modules";

/** Cases of all properties in a run: enough to catch every mutant many times over. */
const CASES = process.env["TOLLGATE_CASES"] ?? "10000";
/** Fleets of a simulation. */
const FLEETS = "600";
const HANGS_AFTER_MS = 180_000;

/** A copy of the library's source and tests, in the layout of the working tree. */
export class Copy {
  readonly #root: string;
  readonly #source: string;

  private constructor(root: string) {
    this.#root = root;
    this.#source = join(root, LIBRARY, "src");
  }

  static async make(name: string): Promise<Copy> {
    const root = join(COPIES, name);
    await mkdir(root, { recursive: true });
    const options = { recursive: true, filter: (path: string) => !LEFT_OUT.test(path) };
    for (const path of COPIED) await cp(join(ROOT, LIBRARY, path), join(root, LIBRARY, path), options);
    // Packages of which the workspace has another version, too.
    await symlink(join(ROOT, LIBRARY, MODULES), join(root, LIBRARY, MODULES));
    // The simulation plants bugs in the Lua that is joined here.
    await symlink(join(ROOT, "tools"), join(root, "tools"));
    return new Copy(root);
  }

  static async removeAll(): Promise<void> {
    await rm(COPIES, { recursive: true, force: true });
    // Another run may still have copies.
    if ((await readdir(ALL_COPIES)).length === 0) await rmdir(ALL_COPIES);
  }

  /** Replaces a text in a file. @returns whether the file had it exactly once. */
  async replace(file: string, find: string, replacement: string): Promise<boolean> {
    const path = join(this.#source, file);
    const text = await readFile(path, "utf8").catch(() => "");
    if (text.split(find).length !== 2) return false;
    await writeFile(
      path,
      text.replace(find, () => replacement),
    );
    return true;
  }

  /** The result of the tests of a file. A copy that does not load proves nothing. */
  async judge(file = ""): Promise<"passes" | "fails" | "hangs" | "does not load"> {
    const reportFile = join(this.#root, "report.json");
    const tests = testsOf(file);
    if (!(await this.#runTests(tests, reportFile))) return "hangs";
    const report = JSON.parse(await readFile(reportFile, "utf8")) as { success: boolean; numFailedTests: number };
    if (report.success) return "passes";
    return report.numFailedTests > 0 ? "fails" : "does not load";
  }

  /** @returns whether the tests ended before the timeout. */
  #runTests(tests: readonly string[], reportFile: string): Promise<boolean> {
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const config = tests.some((test) => test.includes(join("stores", "redis")))
      ? "vitest.deep.config.ts"
      : "vitest.config.ts";
    const from = ["--root", this.#root, "--config", join(ROOT, config)];
    const args = ["run", ...tests, "--bail=1", ...from, "--reporter=json", `--outputFile=${reportFile}`];
    const env = {
      ...process.env,
      TOLLGATE_SRC: this.#source,
      TOLLGATE_CASES: CASES,
      TOLLGATE_SHRINK: "no",
      TOLLGATE_FLEETS: FLEETS,
    };
    return new Promise((resolve, reject) => {
      // A group of its own: the workers of a run that hangs would go on without it.
      const child = spawn(process.execPath, [vitest, ...args], {
        cwd: this.#root,
        env,
        stdio: "ignore",
        detached: true,
      });
      const timer = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), HANGS_AFTER_MS);
      child.once("error", reject);
      child.once("exit", (code) => {
        clearTimeout(timer);
        resolve(code !== null);
      });
    });
  }
}

/** The paths of the tests of a file. */
export function testsOf(file: string): readonly string[] {
  const tests = TESTED.find(([path]) => file.startsWith(path))?.[1] ?? [];
  return tests.map((test) => join(LIBRARY, "test", test));
}
