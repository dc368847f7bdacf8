import { setMaxListeners } from "node:events";
import { STAND_IN } from "../inputs/decide-body.ts";
import type { BytesInput, CallInput, Input, LimitsInput } from "../inputs/input.ts";
import type { ServiceName } from "../inputs/service-kinds.ts";
import type { Services } from "../process/services.ts";
import type { CallEnd } from "./call-connection.ts";
import { type Received, sendBytes } from "./send-bytes.ts";

/** The statuses of gRPC that a handler which threw, or the service itself, answers with. */
const UNKNOWN = 2;
const INTERNAL = 13;

/** Sends inputs to the services, and says what is wrong with what comes back. */
export class Sender {
  readonly #services: Services;
  readonly #over = new AbortController();
  readonly #reservations = new Map<ServiceName, string>();

  constructor(services: Services) {
    // Each open connection listens to it.
    setMaxListeners(0, this.#over.signal);
    this.#services = services;
  }

  /** Ends all connections, also those that wait in silence. */
  close(): void {
    this.#over.abort();
    for (const { calls } of this.#services.all) calls?.close();
  }

  /** Resolves with a fault of the service, when the input is over. */
  async send(input: Input): Promise<string | undefined> {
    switch (input.kind) {
      case "call":
        return this.#call(input);
      case "limits-file":
        return this.#change(input);
      case "frames":
        await sendBytes(this.#services.get(input.service).grpcPort ?? 0, input, this.#over.signal);
        return undefined;
      case "http":
      case "admin":
        return this.#http(input);
      default:
        return input satisfies never;
    }
  }

  async #http(input: BytesInput): Promise<string | undefined> {
    const service = this.#services.get(input.service);
    const { port } = new URL(input.kind === "admin" ? service.adminUrl : service.url);
    const reservation = this.#reservations.get(input.service);
    const chunks = reservation === undefined ? input.chunks : input.chunks.map((chunk) => replaced(chunk, reservation));
    const received = await sendBytes(Number(port), { ...input, chunks }, this.#over.signal);
    const opened = OPENED.exec(received.text)?.[1];
    if (opened !== undefined) this.#reservations.set(input.service, opened);
    return faultOf(received, service.redis !== undefined);
  }

  async #call(input: CallInput): Promise<string | undefined> {
    const { status, message } = (await this.#services.get(input.service).calls?.call(input)) ?? NO_CALL;
    const isFault = status === UNKNOWN || (status === INTERNAL && message === "internal error");
    return isFault ? `gRPC status ${status}: ${message}` : undefined;
  }

  async #change({ service, text, by }: LimitsInput): Promise<string | undefined> {
    const { file, log } = this.#services.get(service);
    await file?.change(text, by, () => log.next("limits-loaded", "limits-refused"));
    return undefined;
  }
}

const NO_CALL: CallEnd = { status: undefined, message: "" };

/** A response that opened a reservation. */
const OPENED = /"reservation":"([\w.-]{22,30})"/;

/** Puts the id of an open reservation in place of the stand-in, which is as long. */
function replaced(chunk: Buffer, reservation: string): Buffer {
  const at = chunk.indexOf(STAND_IN);
  if (at < 0) return chunk;
  const copy = Buffer.from(chunk);
  copy.write(`"${reservation}"`.padEnd(STAND_IN.length), at, "latin1");
  return copy;
}

/** The documented answers with 503. */
const TOO_MUCH_AT_ONCE = /too many open reservations|another dry run is not over|other limits are being read/;

/** Those of a service whose Redis did not answer in time. */
const STORE_UNAVAILABLE = /store is unavailable|store-unavailable|that has the reservation does not answer/;

/** Any other status from 500 on is a fault. */
function faultOf({ statuses, text }: Received, hasRedis: boolean): string | undefined {
  const fault = statuses.find((status) => status >= 500);
  if (fault === undefined || (fault === 503 && TOO_MUCH_AT_ONCE.test(text))) return undefined;
  if (fault === 503 && hasRedis && STORE_UNAVAILABLE.test(text)) return undefined;
  return `status ${fault}: ${JSON.stringify(text.slice(-1_000))}`;
}
