import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventuallyTrue } from "../../packages/tollgate/test/stores/redis/servers/eventually.ts";
import { GuardedProcess } from "../../packages/tollgate/test/stores/redis/servers/guarded-process.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { Prometheus } from "./prometheus.ts";

const ROOT = join(import.meta.dirname, "../..");
const COMMAND = join(ROOT, "packages/server/bin/tollgate.js");
const RULES = join(ROOT, "docs/observability/alerts.yml");
const TOKEN = "a-token-for-prometheus";
const CONNECTIONS = 8;

/** The service and an application under load, which a real Prometheus scrapes. */
export interface Observed {
  readonly prometheus: Prometheus;
  readonly fleet: Fleet;
  /** Clients of the service send many times what they may, from now on or no more. */
  flood(on: boolean): void;
  stop(): Promise<void>;
}

export async function observe(intervalMs: number): Promise<Observed> {
  const service = await startService();
  const fleet = await startFleet();
  const load = new ServiceLoad(service.url);
  const targets = [
    { job: "tollgate", url: service.adminUrl, token: TOKEN },
    { job: "application", url: fleet.url },
  ];
  const prometheus = await Prometheus.start({ targets, rules: RULES, intervalMs });
  return {
    prometheus,
    fleet,
    flood: (on) => load.flood(on),
    stop: async () => {
      load.stop();
      await prometheus.stop();
      await fleet.stop();
      await service.process.remove();
    },
  };
}

interface StartedService {
  readonly process: GuardedProcess;
  readonly url: string;
  readonly adminUrl: string;
}

/** The built command, with JSON logs and a token for Prometheus. */
async function startService(): Promise<StartedService> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-observed-"));
  const tokens = join(folder, "tokens");
  writeFileSync(tokens, `${TOKEN}\n`);
  const flags = ["--port", "0", "--capacity", "200", "--refill-per-second", "100", "--max-connections", "64"];
  const admin = ["--admin-port", "0", "--admin-token-file", tokens, "--log-format", "json"];
  const started = await GuardedProcess.start([process.execPath, COMMAND, "serve", ...flags, ...admin], folder);
  await eventuallyTrue("the service", () => {
    if (!started.isRunning) throw new Error(`the service ended: ${started.output}`);
    return started.output.includes('"event":"listening"');
  });
  const urlOf = (event: string): string =>
    new RegExp(`"event":"${event}".*?"url":"(.+?)"`).exec(started.output)?.[1] ?? "";
  return { process: started, url: urlOf("listening"), adminUrl: urlOf("admin-listening") };
}

/** Clients on a few connections, which wait a little between requests unless they flood. */
class ServiceLoad {
  #isFlood = false;
  #isStopped = false;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(url: string) {
    for (let client = 0; client < CONNECTIONS; client += 1) void this.#run(url, client);
    void this.#knock(url);
  }

  flood(on: boolean): void {
    this.#isFlood = on;
  }

  stop(): void {
    this.#isStopped = true;
    this.#agent.destroy();
  }

  async #run(url: string, client: number): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn += 1) {
      const path = turn % 20 === 0 ? "/nowhere" : "/ping";
      await this.#call(url + path, client % 4);
      if (!this.#isFlood) await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  /** More connections than the service grants, once a second. */
  async #knock(url: string): Promise<void> {
    while (!this.#isStopped) {
      const agent = new Agent({ keepAlive: true });
      await Promise.all(Array.from({ length: 80 }, () => this.#call(`${url}/healthz`, 0, agent)));
      agent.destroy();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }

  /** A refused connection is an answer, too. */
  #call(url: string, client: number, agent = this.#agent): Promise<void> {
    return new Promise((resolve) => {
      const sent = request(url, { agent, headers: { "X-API-Key": `client-${client}` } }, (response) => {
        response.resume().once("close", resolve);
      });
      sent.once("error", () => resolve());
      sent.end();
    });
  }
}
