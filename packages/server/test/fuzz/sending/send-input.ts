import { setMaxListeners } from "node:events";
import { RESERVATION } from "../inputs/decide-body.ts";
import type { BytesInput, CallInput, Input, LimitsInput } from "../inputs/input.ts";
import type { Services } from "../process/services.ts";
import { type Received, sendBytes } from "./send-bytes.ts";

/** The statuses of gRPC that a handler which threw, or the service itself, answers with. */
const UNKNOWN = 2;
const INTERNAL = 13;

/** Sends inputs to the services, and says what is wrong with what comes back. */
export class Sender {
  readonly #services: Services;
  readonly #over = new AbortController();
  #reservation = RESERVATION;

  constructor(services: Services) {
    // Each open connection listens to it.
    setMaxListeners(0, this.#over.signal);
    this.#services = services;
  }

  /** Ends all connections, also those that wait in silence. */
  close(): void {
    this.#over.abort();
    this.#services.calls.close();
  }

  /** Resolves with a fault of the service, when the input is over. */
  async send(input: Input): Promise<string | undefined> {
    switch (input.kind) {
      case "call":
        return this.#call(input);
      case "limits-file":
        return this.#change(input);
      case "frames":
        await sendBytes(this.#services.envoy.grpcPort, input, this.#over.signal);
        return undefined;
      case "http":
      case "admin":
        return this.#http(input);
      default:
        return input satisfies never;
    }
  }

  async #http(input: BytesInput): Promise<string | undefined> {
    const service = this.#services[input.service];
    const { port } = new URL(input.kind === "admin" ? service.adminUrl : service.url);
    const chunks = input.chunks.map((chunk) => this.#withReservation(chunk));
    const received = await sendBytes(Number(port), { ...input, chunks }, this.#over.signal);
    this.#reservation = /"reservation":"([\w-]{22})"/.exec(received.text)?.[1] ?? this.#reservation;
    return faultOf(received);
  }

  /** Puts the id of an open reservation in place of the stand-in, which has the same length. */
  #withReservation(chunk: Buffer): Buffer {
    const at = chunk.indexOf(RESERVATION);
    if (at < 0) return chunk;
    const copy = Buffer.from(chunk);
    copy.write(this.#reservation, at, "latin1");
    return copy;
  }

  async #call(input: CallInput): Promise<string | undefined> {
    const { status, message } = await this.#services.calls.call(input);
    const isFault = status === UNKNOWN || (status === INTERNAL && message === "internal error");
    return isFault ? `gRPC status ${status}: ${message}` : undefined;
  }

  async #change({ service, text, by }: LimitsInput): Promise<string | undefined> {
    const { file, log } = this.#services[service];
    await file?.change(text, by, () => log.next("limits-loaded", "limits-refused"));
    return undefined;
  }
}

/** The documented answers with 503. */
const TOO_MUCH_AT_ONCE = /too many open reservations|another dry run is not over/;

/** Any other status from 500 on is a fault. */
function faultOf({ statuses, text }: Received): string | undefined {
  const fault = statuses.find((status) => status >= 500);
  if (fault === undefined || (fault === 503 && TOO_MUCH_AT_ONCE.test(text))) return undefined;
  return `status ${fault}: ${JSON.stringify(text.slice(-1_000))}`;
}
