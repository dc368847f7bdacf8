import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ADMIN_TOKENS } from "../inputs/admin-body.ts";
import type { ServiceName } from "../inputs/input.ts";
import { withTimeout } from "../with-timeout.ts";
import { JsonLog } from "./log-lines.ts";
import { WatchedFile } from "./watched-file.ts";

const BIN = fileURLToPath(new URL("../../../bin/tollgate.js", import.meta.url));
const VITAL_SIGNS = new URL("vital-signs.mjs", import.meta.url).href;

/** The token of the requests that have to be answered. Those of inputs may come too often. */
export const PROBE_TOKEN = "token-of-the-fuzzer-itself";

/** Allows for a machine on which many processes start at once. */
const START_MS = 60_000;

/** What a process says of itself. */
export interface VitalSigns {
  /** What is reachable: the heap after a garbage collection, and memory outside of it. */
  readonly keptBytes: number;
  readonly rssBytes: number;
  /** The kinds of what keeps the event loop busy, such as `TCPSocketWrap`. */
  readonly resources: readonly string[];
}

export interface FuzzedServiceOptions {
  readonly name: ServiceName;
  /** A folder for its files. */
  readonly folder: string;
  /** Modules to load before the service, such as planted bugs. */
  readonly preload: readonly string[];
  /** Is notified of what the service should never do. */
  readonly onFault: (fault: string) => void;
}

/** The built service in a process of its own. */
export class FuzzedService {
  readonly name: ServiceName;
  readonly child: ChildProcess;
  readonly log: JsonLog;
  /** The watched limits file. The demo has none. */
  readonly file: WatchedFile | undefined;
  url = "";
  adminUrl = "";
  grpcPort = 0;
  #isStopping = false;
  #asked = 0;

  private constructor(options: FuzzedServiceOptions, args: readonly string[], file: WatchedFile | undefined) {
    const { name, onFault, preload } = options;
    this.name = name;
    this.file = file;
    this.log = new JsonLog((fault) => onFault(`${name}: ${fault}`));
    const imports = [VITAL_SIGNS, ...preload].map((module) => `--import=${module}`);
    const admin = ["--admin-port", "0", "--admin-token-file", `${options.folder}/tokens`];
    this.child = spawn(
      process.execPath,
      ["--expose-gc", ...imports, BIN, "serve", "--port", "0", "--log-format", "json", ...admin, ...args],
      { stdio: ["ignore", "pipe", "pipe", "ipc"] },
    );
    this.log.read(this.child.stdout as Readable);
    this.log.read(this.child.stderr as Readable);
    this.child.once("exit", (code, signal) => {
      if (!this.#isStopping) onFault(`${name}: the process ended with ${signal ?? `code ${code}`}`);
    });
  }

  /** Starts a service, and waits until it listens. */
  static async start(options: FuzzedServiceOptions): Promise<FuzzedService> {
    const { name, folder } = options;
    await writeTokens(folder);
    const file = name === "demo" ? undefined : await WatchedFile.create(`${folder}/${name}`, name);
    // Few keys, so that memory is full soon and keys share overflow buckets.
    const limits = file === undefined ? [] : ["--limits", file.path, "--max-keys", "2000"];
    const grpc = name === "envoy" ? ["--grpc-port", "0"] : [];
    const service = new FuzzedService(options, [...limits, ...grpc], file);
    const grpcListening = name === "envoy" ? service.log.next("grpc-listening") : undefined;
    const listening = Promise.all([
      service.log.next("listening"),
      service.log.next("admin-listening"),
      grpcListening,
    ] as const);
    const [main, admin, grpcEntry] = await withTimeout(listening, START_MS, `${name}: the start`).catch((error) => {
      service.kill();
      throw error;
    });
    service.url = String(main["url"]);
    service.adminUrl = String(admin["url"]);
    service.grpcPort = Number(grpcEntry?.["port"] ?? 0);
    return service;
  }

  /** Asks the process for its memory. It answers when its event loop is free. */
  async vitalSigns(): Promise<VitalSigns> {
    this.#asked += 1;
    const id = this.#asked;
    this.child.send(id);
    for (;;) {
      const [answer] = (await once(this.child, "message")) as [VitalSigns & { readonly id: number }];
      if (answer.id === id) return answer;
    }
  }

  /** Stops the service as operators do. Resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.#isStopping = true;
    const exited = once(this.child, "exit") as Promise<[number | null]>;
    this.child.kill("SIGTERM");
    const [code] = await exited;
    return code;
  }

  kill(): void {
    this.#isStopping = true;
    this.child.kill("SIGKILL");
  }
}

async function writeTokens(folder: string): Promise<void> {
  await writeFile(`${folder}/tokens`, `${[...ADMIN_TOKENS, PROBE_TOKEN].join("\n")}\n`);
}
