import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { checkFunction } from "../../core/checks.ts";
import { FAILURE, type HttpAnswer } from "../../http/answer.ts";
import type { Gate, Verdict } from "../../http/gate.ts";
import { type HeaderList, NO_STORE } from "../../http/header-list.ts";
import type { Reporter } from "../../http/report-error.ts";
import { isPromise } from "../../http/when-ready.ts";
import { keepAddress } from "./kept-address.ts";

/** A listener of a server's `upgrade` or `connect` event: from here on the socket is its own. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>;

/** A listener as `server.on("upgrade")` takes it. */
export type LimitedUpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Puts a gate in front of a listener for upgrades. */
export function limitUpgrades<Input>(
  gate: Gate<IncomingMessage, Input>,
  report: Reporter<IncomingMessage>,
  listener: UpgradeListener,
): LimitedUpgradeListener {
  checkFunction("listener", listener, "a function of request, socket and head");
  return (request, socket, head) => {
    // Node has removed its own. Without any, an error of the socket would end the process.
    socket.on("error", ignore);
    const act = (verdict: Verdict): void | Promise<void> => {
      if (verdict.decision !== undefined) request.rateLimit = verdict.decision;
      if (!verdict.pass) return refuse(socket, verdict.answer, verdict.headers);
      // A client that went while the store was asked has nothing to upgrade. What was taken stands.
      return socket.destroyed ? undefined : listener(request, socket, head);
    };
    const fail = (error: unknown): void => {
      refuse(socket, FAILURE, [NO_STORE]);
      report(error, request);
    };
    let verdict: Verdict | Promise<Verdict>;
    try {
      verdict = gate.check(request);
    } catch (error) {
      fail(error);
      return;
    }
    // What the listener throws stays the server's business.
    if (isPromise(verdict)) {
      keepAddress(request);
      void verdict.then(act, fail);
    } else void act(verdict);
  };
}

function ignore(): void {}

/** A client that neither reads nor closes has its connection cut off. */
const LINGER_MS = 1_000;

/** Writes a whole response, and closes the connection when the client has closed its half, or after the linger time. */
function refuse(socket: Duplex, { status, contentType, body }: HttpAnswer, headers: HeaderList): void {
  if (socket.destroyed) return;
  const fields: HeaderList = [
    // biome-ignore lint/style/noRestrictedGlobals: the date of a response is that of the server's clock, as Node's own are.
    ["Date", new Date().toUTCString()],
    ["Connection", "close"],
    ["Content-Type", contentType],
    ["Content-Length", String(Buffer.byteLength(body))],
    ...headers,
  ];
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  // What the client still sends is read and dropped. Were it left unread, closing would reset the connection, and with
  // it the response on its way.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
