import { accessSync, constants, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { eventuallyTrue } from "../../packages/tollgate/test/stores/redis/servers/eventually.ts";
import { GuardedProcess } from "../../packages/tollgate/test/stores/redis/servers/guarded-process.ts";
import { type ReservedPort, reservePort } from "../../packages/tollgate/test/stores/redis/servers/reserved-port.ts";

/** Where tools/install-for-tests.sh unpacks Debian's package. */
const UNPACKED = resolve(import.meta.dirname, "../../node_modules/.cache/prometheus/usr/bin");

/** The path of `prometheus` or `promtool`. */
export function programPath(name: "prometheus" | "promtool"): string {
  const folders = [UNPACKED, ...(process.env["PATH"] ?? "").split(delimiter)];
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (found === undefined) throw new Error(`${name} is missing: run tools/install-for-tests.sh`);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What Prometheus scrapes. */
export interface ScrapeTarget {
  readonly job: string;
  /** The admin listener's URL. */
  readonly url: string;
  /** A bearer token. */
  readonly token?: string;
}

export interface PrometheusOptions {
  readonly targets: readonly ScrapeTarget[];
  /** The path of a file with rules. */
  readonly rules: string;
  /** How often it scrapes, and evaluates the rules. */
  readonly intervalMs: number;
}

/** The last answer about a target: empty if the scrape succeeded. */
export interface TargetHealth {
  readonly job: string;
  readonly health: string;
  readonly lastError: string;
}

interface Answer<Data> {
  readonly status: string;
  readonly error?: string;
  readonly data: Data;
}

/** A process of Prometheus with a port and a folder of its own. */
export class Prometheus {
  readonly #reserved: ReservedPort;
  readonly #process: GuardedProcess;

  private constructor(reserved: ReservedPort, process: GuardedProcess) {
    this.#reserved = reserved;
    this.#process = process;
  }

  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const program = programPath("prometheus");
    const reserved = await reservePort();
    const folder = await mkdtemp(join(tmpdir(), "tollgate-prometheus-"));
    const config = join(folder, "prometheus.yml");
    writeFileSync(config, configOf(options));
    const command = [
      program,
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${reserved.port}`,
      "--log.level=warn",
    ];
    const started = new Prometheus(reserved, await GuardedProcess.start(command, folder));
    await eventuallyTrue("prometheus", () => started.#isReady());
    return started;
  }

  /** The last lines of its log. */
  get log(): string {
    return this.#process.output;
  }

  /** The values that a query has now, one for each series. */
  async query(expression: string): Promise<number[]> {
    const { result } = await this.#ask<{ result: { value: [number, string] }[] }>("query", { query: expression });
    return result.map(({ value: [, text] }) => Number(text));
  }

  /** The names of the alerts that are pending or firing. */
  async alerts(): Promise<Set<string>> {
    const { alerts } = await this.#ask<{ alerts: { labels: Record<string, string> }[] }>("alerts", {});
    return new Set(alerts.map(({ labels }) => labels["alertname"] ?? ""));
  }

  async targets(): Promise<TargetHealth[]> {
    const { activeTargets } = await this.#ask<{
      activeTargets: { labels: Record<string, string>; health: string; lastError: string }[];
    }>("targets", {});
    return activeTargets.map(({ labels, health, lastError }) => ({ job: labels["job"] ?? "", health, lastError }));
  }

  async stop(): Promise<void> {
    this.#process.signal("SIGKILL");
    await this.#process.ended;
    await this.#process.remove();
    this.#reserved.release();
  }

  async #isReady(): Promise<boolean> {
    if (!this.#process.isRunning) throw new Error(`prometheus ended: ${this.log}`);
    const answer = await fetch(`http://127.0.0.1:${this.#reserved.port}/-/ready`).catch(() => undefined);
    return answer?.ok === true;
  }

  async #ask<Data>(path: string, parameters: Readonly<Record<string, string>>): Promise<Data> {
    const body = new URLSearchParams(parameters);
    const isForm = Object.keys(parameters).length > 0;
    const url = `http://127.0.0.1:${this.#reserved.port}/api/v1/${path}`;
    const response = await fetch(url, isForm ? { method: "POST", body } : {});
    const answer = (await response.json()) as Answer<Data>;
    if (answer.status !== "success") throw new Error(`${JSON.stringify(parameters)}: ${answer.error}`);
    return answer.data;
  }
}

function configOf({ targets, rules, intervalMs }: PrometheusOptions): string {
  const interval = `${intervalMs}ms`;
  return JSON.stringify({
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: [resolve(rules)],
    scrape_configs: targets.map(({ job, url, token }) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(url).host] }],
      ...(token === undefined ? {} : { authorization: { credentials: token } }),
    })),
  });
}
