import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const load = createRequire(new URL("../runtimes/installed/package.json", import.meta.url));

interface Esbuild {
  build(options: object): Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>;
}

interface Miniflare {
  dispatchFetch(url: string, init: object): Promise<{ json(): Promise<unknown> }>;
  dispose(): Promise<void>;
}

/** A Worker in workerd, whose routes answer with JSON. */
export class WorkerProcess {
  readonly #script: string;
  readonly #options: object;
  /** In memory if possible: every call of a test is flushed to it. */
  readonly #folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "tollgate-objects-"));
  #miniflare: Miniflare;

  private constructor(script: string, options: object) {
    this.#script = script;
    this.#options = options;
    this.#miniflare = this.#start();
  }

  /** Starts the Worker of a file, with further options of miniflare. */
  static async start(file: URL, options: object): Promise<WorkerProcess> {
    const { build } = load("esbuild") as Esbuild;
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(file)],
      bundle: true,
      write: false,
      format: "esm",
      target: "es2022",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:workers"],
    });
    return new WorkerProcess(outputFiles[0]!.text, options);
  }

  #start(): Miniflare {
    const { Miniflare } = load("miniflare") as { Miniflare: new (options: object) => Miniflare };
    return new Miniflare({
      modules: true,
      script: this.#script,
      compatibilityDate: "2026-04-01",
      cf: false,
      durableObjectsPersist: this.#folder,
      ...this.#options,
    });
  }

  async ask<Result = unknown>(route: string, input: object = {}): Promise<Result> {
    const body = JSON.stringify({ route, ...input });
    const response = await this.#miniflare.dispatchFetch("http://worker.example/", { method: "POST", body });
    const { result, error } = (await response.json()) as { result: Result; error?: string };
    if (error !== undefined) throw new Error(error);
    return result;
  }

  /** Ends the process and starts another, which has the data of all objects. */
  async restart(): Promise<void> {
    await this.#miniflare.dispose();
    this.#miniflare = this.#start();
  }

  async end(): Promise<void> {
    await this.#miniflare.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
