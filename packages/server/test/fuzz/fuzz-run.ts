import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Growth } from "./growth.ts";
import type { Input, InputKind } from "./inputs/input.ts";
import { makeInput } from "./inputs/make-input.ts";
import { SERVICE_NAMES, type ServiceName } from "./inputs/service-kinds.ts";
import { askKnownGood, askRestored } from "./known-good.ts";
import type { FuzzedService } from "./process/fuzzed-service.ts";
import { Services } from "./process/services.ts";
import { Sender } from "./sending/send-input.ts";
import { withTimeout } from "./with-timeout.ts";

export interface FuzzSettings {
  /** All inputs follow from it. */
  readonly seed: number;
  readonly seconds: number;
  /** The numbers of the inputs: from the first up to and with the last. */
  readonly first: number;
  readonly last: number;
  /** The services that run. All by default. */
  readonly services?: readonly ServiceName[];
  /** Is notified every ten seconds. */
  readonly onProgress?: (report: FuzzReport) => void;
  /** Ends the run early. */
  readonly signal?: AbortSignal;
}

export interface FuzzReport {
  readonly seed: number;
  readonly services: readonly ServiceName[];
  readonly seconds: number;
  readonly inputs: Readonly<Record<InputKind, number>>;
  /** What each service kept at first, and at last. */
  readonly memory: Readonly<Record<string, string>>;
  /** How often a service had no answer of its Redis in time. */
  readonly outages: number;
  readonly failure: FuzzFailure | undefined;
}

export interface FuzzFailure {
  readonly reason: string;
  /** The numbers of the inputs that were under way, and of those that ended last. */
  readonly underWay: readonly number[];
  readonly ended: readonly number[];
}

/** How long an answer may take. Allows for a machine that is busy with other work. */
const PATIENCE_MS = 20_000;
/** A silent connection is cut off by the bounds of the service, at the latest after its 30 seconds of silence. */
const SILENCE_MS = 60_000;
/**
 * Node does not notice that a client has gone whose HTTP/2 was malformed. The pings of the service end such connections
 * after 20 seconds, for which short runs do not wait.
 */
const DEAD_CONNECTION_MS = 20_000;
const SECONDS_OF_A_LONG_RUN = 120;
const LANES = 8;
const CHECK_EVERY_MS = 2_000;
const PROGRESS_EVERY_MS = 10_000;
/** The measure of growth is taken after so much of the time: code is compiled and caches are filled by then. */
const WARM_UP = 0.2;
const MOST_WARM_UP_MS = 30_000;
const MOST_ENDED = 24;
/** A process that has died stops answering before its end is noticed. */
const DEATH_MS = 2_000;
const RESTORED_EVERY_MS = 250;
/** What a process without clients keeps: its listeners, its output, its timers. */
const MOST_SOCKETS = 4;
/** Its connections to Redis, in all of its processes. */
const MOST_REDIS_SOCKETS = 16;

/** Sends inputs to services until time is up or something is wrong. */
export async function fuzz(settings: FuzzSettings): Promise<FuzzReport> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-fuzz-"));
  const run = new FuzzRun(settings);
  try {
    await run.run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return run.report;
}

class FuzzRun {
  readonly #settings: FuzzSettings;
  #startMs = performance.now();
  readonly #over = new AbortController();
  readonly #underWay = new Set<number>();
  readonly #ended: number[] = [];
  readonly #inputs: Record<InputKind, number> = { http: 0, admin: 0, call: 0, frames: 0, "limits-file": 0 };
  readonly #growth: ReadonlyMap<ServiceName, Growth>;
  readonly #names: readonly ServiceName[];
  #services: Services | undefined;
  #next: number;
  #failure: FuzzFailure | undefined;
  #markFailed = (): void => {};
  readonly #failed = new Promise<void>((resolve) => {
    this.#markFailed = resolve;
  });

  constructor(settings: FuzzSettings) {
    this.#settings = settings;
    this.#next = settings.first;
    this.#names = settings.services ?? SERVICE_NAMES;
    this.#growth = new Map(this.#names.map((name) => [name, new Growth()]));
    settings.signal?.addEventListener("abort", () => this.#over.abort());
  }

  get report(): FuzzReport {
    return {
      seed: this.#settings.seed,
      services: this.#names,
      seconds: (performance.now() - this.#startMs) / 1_000,
      inputs: this.#inputs,
      memory: Object.fromEntries(Array.from(this.#growth, ([name, growth]) => [name, growth.toString()])),
      outages: (this.#services?.all ?? []).reduce((sum, { log }) => sum + log.outages, 0),
      failure: this.#failure,
    };
  }

  async run(folder: string): Promise<void> {
    const onFault = (fault: string): void => this.#fail(fault);
    const services = await Services.start(this.#names, { folder, onFault });
    this.#services = services;
    this.#startMs = performance.now();
    try {
      const sender = new Sender(services);
      const lanes = Array.from({ length: LANES }, () => this.#lane(sender));
      const allSent = Promise.all(lanes).finally(() => this.#over.abort());
      // After a failure, what is under way ends with the services.
      await Promise.race([Promise.all([allSent, this.#watch(services), this.#reportProgress()]), this.#failed]);
      sender.close();
      if (this.#failure === undefined) await this.#end(services);
    } catch (error) {
      await this.#failUnlessDead(String(error));
    } finally {
      services.kill();
    }
  }

  /** Sends one input after the other. */
  async #lane(sender: Sender): Promise<void> {
    const endMs = this.#startMs + this.#settings.seconds * 1_000;
    while (!this.#over.signal.aborted && this.#next <= this.#settings.last && performance.now() < endMs) {
      const number = this.#next;
      this.#next += 1;
      const input = makeInput(this.#settings.seed, number, this.#names);
      this.#underWay.add(number);
      if (isSilent(input)) void this.#send(sender, number, input, SILENCE_MS + PATIENCE_MS);
      else await this.#send(sender, number, input, PATIENCE_MS);
    }
  }

  async #send(sender: Sender, number: number, input: Input, patienceMs: number): Promise<void> {
    try {
      const fault = await withTimeout(sender.send(input), patienceMs, `input ${number}`);
      if (fault !== undefined) this.#fail(`input ${number}: ${fault}`);
    } catch (error) {
      this.#fail(`input ${number}: ${String(error)}`);
    }
    this.#inputs[input.kind] += 1;
    this.#underWay.delete(number);
    this.#ended.push(number);
    if (this.#ended.length > MOST_ENDED) this.#ended.shift();
  }

  /** Asks the services for answers and for their memory, as long as inputs are sent. */
  async #watch(services: Services): Promise<void> {
    const warmMs = this.#startMs + Math.min(this.#settings.seconds * 1_000 * WARM_UP, MOST_WARM_UP_MS);
    while (!this.#over.signal.aborted) {
      for (const service of services.all) {
        const isWarm = performance.now() >= warmMs;
        const checked = this.#check(service, isWarm);
        try {
          const fault = await withTimeout(checked, PATIENCE_MS, "answers to known good requests");
          if (fault !== undefined) await this.#failUnlessDead(`${service.name}: ${fault}`);
        } catch (error) {
          await this.#failUnlessDead(`${service.name}: ${String(error)}`);
        }
      }
      await this.#pause(CHECK_EVERY_MS);
    }
  }

  async #check(service: FuzzedService, isWarm: boolean): Promise<string | undefined> {
    const fault = await askKnownGood(service);
    if (fault !== undefined) return fault;
    const signs = await service.vitalSigns();
    return isWarm ? this.#growth.get(service.name)?.note(signs) : undefined;
  }

  async #reportProgress(): Promise<void> {
    const { onProgress } = this.#settings;
    for (;;) {
      await this.#pause(PROGRESS_EVERY_MS);
      if (this.#over.signal.aborted) return;
      onProgress?.(this.report);
    }
  }

  /** The services have to decide as at the beginning, keep no sockets, and stop by a signal. */
  async #end(services: Services): Promise<void> {
    for (const service of services.all) {
      const { name, file, log, calls } = service;
      const restored = file?.restore(() => log.next("limits-loaded"));
      await withTimeout(restored ?? Promise.resolve(), PATIENCE_MS, `${name}: reading the first limits`);
      const fault = await this.#restored(service);
      if (fault !== undefined) return this.#failUnlessDead(`${name}: ${fault}`);
      calls?.close();
      if (calls === undefined || this.#settings.seconds >= SECONDS_OF_A_LONG_RUN) {
        await withTimeout(withoutSockets(service), DEAD_CONNECTION_MS + PATIENCE_MS, `${name}: closing its sockets`);
      }
      const code = await withTimeout(service.stop(), PATIENCE_MS, `${name}: stopping on SIGTERM`);
      if (code !== 0) return this.#fail(`${name}: expected exit code 0 on SIGTERM, got ${code}`);
    }
  }

  /** Asks until the service decides as at the beginning. An earlier change may have been logged as the last one. */
  async #restored(service: FuzzedService): Promise<string | undefined> {
    const endMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const fault = await withTimeout(askRestored(service), PATIENCE_MS, `${service.name}: a decision`);
      if (fault === undefined || performance.now() > endMs) return fault;
      await sleep(RESTORED_EVERY_MS);
    }
  }

  #fail(reason: string): void {
    this.#endWith(this.#failureNow(reason));
  }

  /** Fails because a service did not answer well. If its process has died, its own words are the reason. */
  async #failUnlessDead(reason: string): Promise<void> {
    const failure = this.#failureNow(reason);
    await sleep(DEATH_MS);
    this.#endWith(failure);
  }

  #failureNow(reason: string): FuzzFailure {
    return { reason, underWay: [...this.#underWay], ended: [...this.#ended] };
  }

  /** The first failure ends the run. */
  #endWith(failure: FuzzFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#markFailed();
    this.#over.abort();
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#over.signal }).catch(() => {});
  }
}

function isSilent(input: Input): boolean {
  return "ending" in input && input.ending.kind === "silence";
}

async function withoutSockets(service: FuzzedService): Promise<void> {
  const most = service.redis === undefined ? MOST_SOCKETS : MOST_SOCKETS + MOST_REDIS_SOCKETS;
  for (;;) {
    const { resources } = await service.vitalSigns();
    if (resources.filter((kind) => kind === "TCPSocketWrap").length <= most) return;
    await sleep(250);
  }
}
