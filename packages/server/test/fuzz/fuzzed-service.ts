import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startCluster } from "../../../tollgate/test/stores/redis/servers/start-cluster.ts";
import { startRedis } from "../../../tollgate/test/stores/redis/servers/start-redis.ts";
import { ADMIN_TOKENS } from "./http-inputs.ts";
import { TEXTS } from "./limits-files.ts";
import { GrpcClient } from "./sending.ts";

const BIN = fileURLToPath(new URL("../../bin/tollgate.js", import.meta.url));

/** The token of the requests that have to be answered. Those of inputs may come too often. */
export const PROBE_TOKEN = "token-of-the-fuzzer-itself";

/** A service that runs while inputs are sent: its kind of limits files, and where it counts. */
interface ServiceKind {
  readonly files?: keyof typeof TEXTS;
  readonly redis?: () => Promise<{ readonly urls: string; stop(): Promise<void> }>;
  readonly flags?: readonly string[];
}

interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

const urlsOf = (nodes: readonly RedisAddress[]) => nodes.map(({ host, port }) => `redis://${host}:${port}`).join(",");

async function oneRedis() {
  const server = await startRedis();
  return { urls: urlsOf([server]), stop: () => server.stop() };
}

async function redisCluster() {
  // A Cluster whose nodes get no processor time for a second would fail over, and there is no replica.
  const cluster = await startCluster({ primaries: 3, replicas: 0, nodeTimeoutMs: 30_000 });
  return { urls: urlsOf(cluster.nodes), stop: () => cluster.stop() };
}

export const SERVICES: Readonly<Record<string, ServiceKind>> = {
  limits: { files: "limits" },
  envoy: { files: "envoy" },
  demo: {},
  redis: { files: "limits", redis: oneRedis },
  workers: { files: "limits", redis: oneRedis, flags: ["--workers", "2"] },
  hybrid: { files: "limits", redis: redisCluster, flags: ["--hybrid"] },
};

interface LogEntry {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** Events of a service that works. All others are faults of the service. */
const EXPECTED = [
  /^(admin-|grpc-)?listening$/,
  /^stopping$|^cut-off$|^audit$/,
  /^(denied|unauthorized)$|-left-out$/,
  /^limits-(loaded|refused|mistake)$/,
];

/** Events of a service whose Redis a busy machine keeps from answering in time. */
const EXPECTED_WITH_REDIS = /^redis-(down|up)$|^degraded$|^workers-silent$/;
/** Errors of Redis have other causes. They are faults of the service. */
const EXPECTED_CAUSES: readonly unknown[] = [undefined, "timed out", "circuit open", "overloaded"];

/** What the processes of a service say of themselves. */
export interface VitalSigns {
  /** What is reachable after a garbage collection, and memory outside of the heap. */
  readonly keptBytes: number;
  readonly sockets: number;
}

/** How a limits file is replaced. */
type Change = "rename" | "write" | "two writes" | "removal";

/** The built service, in one process or in several. */
export class FuzzedService {
  readonly name: string;
  readonly files: keyof typeof TEXTS | undefined;
  readonly hasRedis: boolean;
  /** What the service should never do. */
  readonly faults: string[] = [];
  url = "";
  adminUrl = "";
  grpcPort = 0;
  calls: GrpcClient | undefined;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<{ readonly events: readonly string[]; readonly resolve: (entry: LogEntry) => void }>();
  readonly #stopRedis: () => unknown;
  #changes = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #isStopping = false;

  private constructor(
    name: string,
    kind: ServiceKind,
    folder: string,
    redis: { urls: string; stop(): unknown } | undefined,
  ) {
    this.name = name;
    this.files = kind.files;
    this.hasRedis = redis !== undefined;
    this.#folder = folder;
    this.#stopRedis = () => redis?.stop();
    // Few keys, so that memory is full soon and keys share overflow buckets.
    const store = redis === undefined ? ["--max-keys", "2000"] : ["--redis", redis.urls];
    const limits = kind.files === undefined ? [] : ["--limits", `${folder}/limits.yaml`, "--grpc-port", "0", ...store];
    const signs = new URL("vital-signs.mjs", import.meta.url).href;
    const admin = ["--admin-port", "0", "--admin-token-file", `${folder}/tokens`];
    const serve = [BIN, "serve", "--port", "0", "--log-format", "json", ...admin, ...(kind.flags ?? []), ...limits];
    this.#child = spawn(process.execPath, ["--expose-gc", `--import=${signs}`, ...serve], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, FUZZ_SIGNS: `${folder}/signs` },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      createInterface({ input: stream! }).on("line", (line) => this.#take(line));
    this.#child.once("close", (code, signal) => {
      if (!this.#isStopping) this.faults.push(`the process ended with ${signal ?? `code ${code}`}`);
    });
  }

  /** Starts a service, and waits until it listens. */
  static async start(name: string, parent: string): Promise<FuzzedService> {
    const kind = SERVICES[name] ?? {};
    const folder = `${parent}/${name}`;
    await mkdir(`${folder}/signs`, { recursive: true });
    await writeFile(`${folder}/tokens`, `${[...ADMIN_TOKENS, PROBE_TOKEN].join("\n")}\n`);
    if (kind.files !== undefined) await writeFile(`${folder}/limits.yaml`, TEXTS[kind.files]);
    const service = new FuzzedService(name, kind, folder, await kind.redis?.());
    const grpc = kind.files === undefined ? undefined : service.next("grpc-listening");
    const [main, admin] = await Promise.all([service.next("listening"), service.next("admin-listening")]);
    service.url = String(main["url"]);
    service.adminUrl = String(admin["url"]);
    service.grpcPort = Number((await grpc)?.["port"]);
    if (grpc !== undefined) service.calls = new GrpcClient(service.grpcPort);
    return service;
  }

  /** Resolves with the first entry of one of these events from now on. */
  next(...events: string[]): Promise<LogEntry> {
    return new Promise((resolve) => this.#waiting.add({ events, resolve }));
  }

  /** Changes the limits file, and waits until the service has read it. One change at a time. */
  change(limits: Buffer, by: Change): Promise<void> {
    const turn = this.#turn.then(() => this.#changeNow(limits, by));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #changeNow(limits: Buffer, by: Change): Promise<void> {
    this.#changes += 1;
    const path = `${this.#folder}/limits.yaml`;
    // The service does not report a text that is in force already.
    const unique = Buffer.concat([limits, Buffer.from(`\n# ${this.#changes}\n`)]);
    const read = this.next("limits-loaded", "limits-refused");
    if (by === "removal") await rm(path);
    if (by === "two writes") await writeFile(path, unique.subarray(0, unique.length / 2));
    await writeFile(by === "rename" ? `${path}.new` : path, unique);
    if (by === "rename") await rename(`${path}.new`, path);
    await read;
  }

  /** They answer when their event loops are free. */
  async vitalSigns(): Promise<VitalSigns> {
    const folder = `${this.#folder}/signs`;
    const ask = async (pid: string) => JSON.parse(await text(connect(join(folder, pid)))) as VitalSigns;
    const all = await Promise.all((await readdir(folder)).map(ask));
    const sum = (amountOf: (one: VitalSigns) => number) => all.reduce((total, one) => total + amountOf(one), 0);
    return { keptBytes: sum(({ keptBytes }) => keptBytes), sockets: sum(({ sockets }) => sockets) };
  }

  /** Stops the service as operators do. Resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.#isStopping = true;
    const exited = once(this.#child, "exit") as Promise<[number | null]>;
    this.#child.kill("SIGTERM");
    return (await exited)[0];
  }

  async kill(): Promise<void> {
    this.#isStopping = true;
    this.calls?.close();
    this.#child.kill("SIGKILL");
    await this.#stopRedis();
  }

  /** A line that is no entry comes from Node: a warning, or an error that ends the process. */
  #take(line: string): void {
    let entry: LogEntry;
    try {
      entry = JSON.parse(line) as LogEntry;
    } catch {
      this.faults.push(`a line that is no log entry: ${line}`);
      return;
    }
    const { event } = entry;
    const isOutage = this.hasRedis && EXPECTED_WITH_REDIS.test(event) && EXPECTED_CAUSES.includes(entry["cause"]);
    if (!(isOutage || EXPECTED.some((pattern) => pattern.test(event))))
      this.faults.push(`a log entry of a fault: ${line}`);
    for (const waiting of this.#waiting) {
      if (!waiting.events.includes(event)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(entry);
    }
  }
}
