import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ADMIN_TOKENS } from "../inputs/admin-body.ts";
import { SERVICE_KINDS, type ServiceKind, type ServiceName } from "../inputs/service-kinds.ts";
import { CallConnection } from "../sending/call-connection.ts";
import { withTimeout } from "../with-timeout.ts";
import { FuzzedRedis } from "./fuzzed-redis.ts";
import { JsonLog } from "./log-lines.ts";
import { askForSigns, sumOfSigns, VITAL_SIGNS, type VitalSigns } from "./vital-signs.ts";
import { WatchedFile } from "./watched-file.ts";

const BIN = fileURLToPath(new URL("../../../bin/tollgate.js", import.meta.url));

/** The token of the requests that have to be answered. Those of inputs may come too often. */
export const PROBE_TOKEN = "token-of-the-fuzzer-itself";

/** Allows for a machine on which many processes start at once. */
const START_MS = 60_000;

export interface FuzzedServiceOptions {
  readonly name: ServiceName;
  /** A folder for its files. */
  readonly folder: string;
  /** Modules to load before the service, such as planted bugs. */
  /** Is notified of what the service should never do. */
  readonly onFault: (fault: string) => void;
}

/** The built service, in one process or in several. */
export class FuzzedService {
  readonly name: ServiceName;
  readonly kind: ServiceKind;
  readonly child: ChildProcess;
  readonly log: JsonLog;
  /** The watched limits file. The demo has none. */
  readonly file: WatchedFile | undefined;
  /** Where it counts, unless in memory. */
  readonly redis: FuzzedRedis | undefined;
  url = "";
  adminUrl = "";
  /** With a port for gRPC. */
  grpcPort: number | undefined;
  calls: CallConnection | undefined;
  readonly #signs: string;
  #isStopping = false;

  private constructor(options: FuzzedServiceOptions, file: WatchedFile | undefined, redis: FuzzedRedis | undefined) {
    const { name, onFault } = options;
    this.name = name;
    this.kind = SERVICE_KINDS[name];
    this.file = file;
    this.redis = redis;
    this.#signs = signsOf(options);
    this.log = new JsonLog((fault) => onFault(`${name}: ${fault}`), redis !== undefined);
    const args = [...this.kind.flags, ...limitsFlags(file, redis)];
    const admin = ["--admin-port", "0", "--admin-token-file", `${options.folder}/tokens`];
    this.child = spawn(
      process.execPath,
      [
        "--expose-gc",
        `--import=${VITAL_SIGNS}`,
        BIN,
        "serve",
        "--port",
        "0",
        "--log-format",
        "json",
        ...admin,
        ...args,
      ],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, FUZZ_SIGNS: this.#signs } },
    );
    this.log.read(this.child.stdout as Readable);
    this.log.read(this.child.stderr as Readable);
    // Its output has been read to the end by then.
    this.child.once("close", (code, signal) => {
      if (!this.#isStopping)
        onFault(`${name}: the process ended with ${signal ?? `code ${code}`}: ${this.log.foreign}`);
    });
  }

  /** Starts a service, and waits until it listens. */
  static async start(options: FuzzedServiceOptions): Promise<FuzzedService> {
    const { name, folder } = options;
    const { files, store } = SERVICE_KINDS[name];
    await writeTokens(folder);
    await mkdir(signsOf(options));
    const file = files === undefined ? undefined : await WatchedFile.create(`${folder}/${name}`, name);
    const redis = store === "memory" ? undefined : await FuzzedRedis.start(store);
    const service = new FuzzedService(options, file, redis);
    try {
      await withTimeout(service.#listens(), START_MS, `${name}: the start`);
    } catch (error) {
      service.kill();
      throw error;
    }
    return service;
  }

  async #listens(): Promise<void> {
    const grpcListening = this.file === undefined ? undefined : this.log.next("grpc-listening");
    const [main, admin] = await Promise.all([this.log.next("listening"), this.log.next("admin-listening")]);
    this.url = String(main["url"]);
    this.adminUrl = String(admin["url"]);
    if (grpcListening === undefined) return;
    this.grpcPort = Number((await grpcListening)["port"]);
    this.calls = new CallConnection(this.grpcPort);
  }

  /** What all processes of the service say of themselves. They answer when their event loops are free. */
  async vitalSigns(): Promise<VitalSigns> {
    return sumOfSigns(await askForSigns(this.#signs));
  }

  /** Stops the service as operators do. Resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.#isStopping = true;
    const exited = once(this.child, "exit") as Promise<[number | null]>;
    this.child.kill("SIGTERM");
    const [code] = await exited;
    return code;
  }

  /** Ends its workers with it, and its Redis after it. */
  kill(): void {
    this.#isStopping = true;
    this.calls?.close();
    this.child.kill("SIGKILL");
    void this.redis?.stop();
  }
}

/** Where the processes of a service answer. */
function signsOf({ folder, name }: FuzzedServiceOptions): string {
  return `${folder}/${name}-signs`;
}

function limitsFlags(file: WatchedFile | undefined, redis: FuzzedRedis | undefined): readonly string[] {
  if (file === undefined) return [];
  // Few keys, so that memory is full soon and keys share overflow buckets.
  const store = redis === undefined ? ["--max-keys", "2000"] : ["--redis", redis.urls];
  return ["--limits", file.path, "--grpc-port", "0", ...store];
}

async function writeTokens(folder: string): Promise<void> {
  await writeFile(`${folder}/tokens`, `${[...ADMIN_TOKENS, PROBE_TOKEN].join("\n")}\n`);
}
