import { setTimeout as sleep } from "node:timers/promises";
import { type FuzzedService, PROBE_TOKEN } from "./fuzzed-service.ts";
import { framesInput, grpcCall, HEALTH_CALL } from "./grpc-inputs.ts";
import { type GOOD_REQUESTS, httpRequest, STAND_IN } from "./http-inputs.ts";
import { limitsText, TEXTS } from "./limits-files.ts";
import { mutateBytes } from "./odd-values.ts";
import { Random } from "./random.ts";
import { type Bytes, sendBytes } from "./sending.ts";

export interface FuzzSettings {
  /** All inputs follow from it, from their numbers and from the services. */
  readonly seed: number;
  readonly seconds: number;
  /** The numbers of the first and the last input. */
  readonly first: number;
  readonly last: number;
}

export type InputKind = "http" | "admin" | "call" | "frames" | "limits-file";

/** How long an answer may take. Allows for a machine that is busy with other work. */
const PATIENCE_MS = 20_000;
const LANES = 8;
const CHECK_EVERY_MS = 2_000;
/** The measure of growth is taken after so much of the time: code is compiled and caches are filled by then. */
const WARM_UP = 0.2;
/** What a service may keep beyond that: keys, open reservations, limits of before. */
const MOST_GROWTH_BYTES = 48 * 2 ** 20;
/** What a process without clients keeps: its listeners, its output, its connections to Redis. */
const MOST_SOCKETS = 20;

/** The statuses of gRPC that a handler which threw answers with. */
const UNKNOWN = 2;
const INTERNAL = 13;

/** A response that opened a reservation. */
const OPENED = /"reservation":"([\w.-]{22,40})"/;
/** The documented answers with 503, and those of a service whose Redis did not answer in time. */
const TOO_MUCH_AT_ONCE = /too many open reservations|another dry run is not over|other limits are being read/;
const UNAVAILABLE =
  /store is unavailable|store-unavailable|store: the server did not answer|that has the reservation does not answer/;

/** Sends inputs to services until time is up, or throws with the first thing that is wrong. */
export class FuzzRun {
  readonly #settings: FuzzSettings;
  readonly #services: readonly FuzzedService[];
  readonly #withFiles: readonly FuzzedService[];
  readonly #reservations = new Map<string, string>();
  readonly #kept = new Map<string, number>();
  readonly #startMs = performance.now();
  #isOver = false;
  #next: number;
  readonly inputs: Record<InputKind, number> = { http: 0, admin: 0, call: 0, frames: 0, "limits-file": 0 };

  constructor(settings: FuzzSettings, services: readonly FuzzedService[]) {
    this.#settings = settings;
    this.#services = services;
    this.#withFiles = services.filter(({ files }) => files !== undefined);
    this.#next = settings.first;
  }

  async run(): Promise<void> {
    const watched = this.#watch();
    try {
      await Promise.race([Promise.all(Array.from({ length: LANES }, () => this.#lane())), watched]);
    } finally {
      this.#isOver = true;
    }
    await watched;
    await Promise.all(this.#services.map((service) => this.#end(service)));
  }

  /** Sends one input after the other. */
  async #lane(): Promise<void> {
    const { seed, seconds, last } = this.#settings;
    const endMs = this.#startMs + seconds * 1_000;
    while (!this.#isOver && this.#next <= last && performance.now() < endMs) {
      const number = this.#next;
      this.#next += 1;
      const fault = await withTimeout(this.#send(new Random(seed, number)), `input ${number}`);
      if (fault !== undefined) throw new Error(`input ${number}: ${fault}`);
    }
  }

  /** Makes an input and sends it. Resolves with a fault of the service, when the input is over. */
  async #send(random: Random): Promise<string | undefined> {
    const share = random.below(100);
    const withFiles = random.pick(this.#withFiles);
    if (share < 60) return this.#sendHttp(random, random.pick(this.#services));
    if (share < 82) {
      this.inputs.call += 1;
      const { status, message } = await withFiles.calls!.call(grpcCall(random));
      const isFault = status === UNKNOWN || (status === INTERNAL && message === "internal error");
      return isFault ? `gRPC status ${status}: ${message}` : undefined;
    }
    if (share < 97) {
      this.inputs.frames += 1;
      // A server of HTTP/2 need not close its side when its client has closed the other.
      const ending = { resetAfterMs: random.percent(50) ? 0 : random.size(300) };
      await sendBytes(withFiles.grpcPort, { ...pieces(random, framesInput(random)), ending });
      return undefined;
    }
    this.inputs["limits-file"] += 1;
    const by = random.pick(["rename", "write", "two writes", "removal"] as const);
    await withFiles.change(limitsText(random, withFiles.files!), by);
    return undefined;
  }

  /** Requests over one connection, whole or broken, at once or slowly. */
  async #sendHttp(random: Random, service: FuzzedService): Promise<string | undefined> {
    const kind = random.percent(80) ? "http" : "admin";
    this.inputs[kind] += 1;
    const routes: keyof typeof GOOD_REQUESTS = kind === "admin" ? "admin" : (service.files ?? "demo");
    const count = random.percent(85) ? 1 : random.size(60);
    const whole = Buffer.concat(random.list(count, () => httpRequest(random, routes)));
    const reserved = this.#reservations.get(service.name);
    const stand = reserved === undefined ? whole : replaced(whole, `"${reserved}"`.padEnd(STAND_IN.length));
    const isBroken = random.percent(35);
    const hangUp = random.percent(60) ? "half-close" : { resetAfterMs: random.below(8) };
    const ending: Bytes["ending"] = isBroken || random.percent(15) ? hangUp : { answers: count };
    const port = Number(new URL(kind === "admin" ? service.adminUrl : service.url).port);
    const bytes = isBroken ? mutateBytes(random, stand) : stand;
    const { statuses, text } = await sendBytes(port, { ...pieces(random, bytes), ending });
    const opened = OPENED.exec(text)?.[1];
    if (opened !== undefined) this.#reservations.set(service.name, opened);
    const status = statuses.find((one) => one >= 500);
    if (status === undefined || (status === 503 && TOO_MUCH_AT_ONCE.test(text))) return undefined;
    if (status === 503 && service.hasRedis && UNAVAILABLE.test(text)) return undefined;
    return `status ${status}: ${JSON.stringify(text.slice(-1_000))}`;
  }

  /** Asks the services for answers and for their memory, as long as inputs are sent. */
  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const isWarm = performance.now() > this.#startMs + this.#settings.seconds * 1_000 * WARM_UP;
      for (const service of this.#services) {
        await withTimeout(this.#check(service, isWarm), `${service.name}: answers to good requests`);
      }
      await sleep(CHECK_EVERY_MS);
    }
  }

  async #check(service: FuzzedService, isWarm: boolean): Promise<void> {
    const { name, faults, calls } = service;
    await expectAnswer(`${service.url}/healthz`);
    for (const path of ["/readyz", "/metrics"]) await expectAnswer(service.adminUrl + path);
    const health = await calls?.call(HEALTH_CALL);
    if (health !== undefined && health.status !== 0) throw new Error(`${name}: health, ${JSON.stringify(health)}`);
    if (faults.length > 0) throw new Error(`${name}: ${faults.join("\n")}`);
    const { keptBytes } = await service.vitalSigns();
    if (isWarm && !this.#kept.has(name)) this.#kept.set(name, keptBytes);
    const grown = keptBytes - (this.#kept.get(name) ?? keptBytes);
    if (grown > MOST_GROWTH_BYTES) throw new Error(`${name}: memory grew by ${grown} bytes`);
  }

  /** The service has to decide as at the beginning, keep no sockets, and stop by a signal. */
  async #end(service: FuzzedService): Promise<void> {
    const { name, files, url } = service;
    if (files !== undefined) {
      await withTimeout(service.change(Buffer.from(TEXTS[files]), "rename"), `${name}: reading the first limits`);
      const [path, body] = files === "limits" ? ["/v1/decide", DECIDE] : ["/json", JSON_REQUEST];
      const decided = async () => {
        // An earlier change may have been logged as the last one.
        while ((await fetch(url + path, { method: "POST", headers: JSON_TYPE, body })).status >= 400) await sleep(250);
      };
      await withTimeout(decided(), `${name}: a decision by the first limits`);
    } else {
      const withoutSockets = async () => {
        while ((await service.vitalSigns()).sockets > MOST_SOCKETS) await sleep(250);
      };
      await withTimeout(withoutSockets(), `${name}: closing its sockets`);
    }
    service.calls?.close();
    const code = await withTimeout(service.stop(), `${name}: stopping on SIGTERM`);
    if (code !== 0) throw new Error(`${name}: expected exit code 0 on SIGTERM, got ${code}`);
  }
}

const JSON_TYPE = { "content-type": "application/json" };
const DECIDE = '{"domain":"api","verb":"peek","facts":{"ip":"192.0.2.99"}}';
const JSON_REQUEST = '{"domain":"edge","descriptors":[{"entries":[{"key":"generic_key","value":"none"}]}]}';

async function expectAnswer(url: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${PROBE_TOKEN}`, connection: "close" } });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${url}: expected 200, got ${response.status}: ${answer.slice(0, 500)}`);
}

/** Mostly one piece. */
function pieces(random: Random, bytes: Buffer): Pick<Bytes, "chunks" | "pauseMs"> {
  const cut = random.percent(80) ? bytes.length : random.below(bytes.length + 1);
  return {
    chunks: [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0),
    pauseMs: random.below(8),
  };
}

/** Puts the id of an open reservation in place of the stand-in, which is as long. */
function replaced(bytes: Buffer, reservation: string): Buffer {
  const at = bytes.indexOf(STAND_IN);
  return at < 0
    ? bytes
    : Buffer.concat([bytes.subarray(0, at), Buffer.from(reservation), bytes.subarray(at + STAND_IN.length)]);
}

async function withTimeout<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  const over = new AbortController();
  const late = sleep(PATIENCE_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} took longer than ${PATIENCE_MS} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => {});
    over.abort();
  }
}
