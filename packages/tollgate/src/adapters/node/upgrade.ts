import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { checkFunction, isPromise } from "../../core/checks.ts";
import { type Departure, departureBy } from "../../http/departure.ts";
import type { Gate } from "../../http/gate.ts";
import { type HeaderList, NO_STORE } from "../../http/header-list.ts";
import type { RequestPlaces } from "../../http/request-places.ts";
import { FAILURE, type ResponseContent, type Verdict } from "../../http/verdict.ts";

/** A listener of a server's `upgrade` or `connect` event. It owns the socket from then on. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>;

/** A listener as `server.on("upgrade")` takes it. */
export type LimitedUpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** What an upgrade has in place of a response. */
export interface UpgradedSocket {
  readonly upgraded: Duplex;
}

/** Aborts when the client of an upgrade has gone. Node sees that only if the socket is read; what comes is kept. */
export function upgradeDeparture({ upgraded: socket }: UpgradedSocket): Departure {
  return departureBy(
    () => socket.destroyed,
    (listener) => {
      const readEnd = () => {
        if (socket.readableLength === 0) socket.read();
      };
      const ended = () => socket.destroy();
      socket.on("readable", readEnd);
      socket.once("end", ended);
      socket.once("close", listener);
      return () => {
        socket.removeListener("readable", readEnd);
        socket.removeListener("end", ended);
        socket.removeListener("close", listener);
      };
    },
  );
}

/** Puts a gate in front of a listener for upgrades. */
export function limitUpgrades<Input>(
  gate: Gate<IncomingMessage, Input, UpgradedSocket>,
  listener: UpgradeListener,
): LimitedUpgradeListener {
  checkFunction("listener", listener, "a function of request, socket and head");
  return (request, socket, head) => {
    // Node has removed its own listener. Without a listener, an error of the socket would end the process.
    socket.on("error", ignore);
    const act = (verdict: Verdict): void | Promise<void> => {
      if (!verdict.pass) return deny(socket, verdict.content, verdict.headers);
      // If the client has gone, there is nothing to upgrade. What was taken stands.
      const upgrade = () => (socket.destroyed ? undefined : listener(request, socket, head));
      return verdict.places === undefined ? upgrade() : upgradeWith(verdict.places, socket, upgrade);
    };
    const fail = (error: unknown): void => {
      deny(socket, FAILURE, [NO_STORE]);
      gate.logError(error, request);
    };
    // The server handles what the listener throws.
    gate.decide(request, { upgraded: socket }, act, fail);
  };
}

function ignore(): void {}

/** Frees the places of a request when its listener is over, or the connection. */
function upgradeWith(places: RequestPlaces, socket: Duplex, upgrade: () => void | Promise<void>): void | Promise<void> {
  const free = places.hold();
  socket.once("close", free);
  let upgraded: void | Promise<void>;
  try {
    upgraded = upgrade();
  } catch (error) {
    free();
    throw error;
  }
  // The server gets the rejection unchanged.
  if (isPromise(upgraded)) return Promise.resolve(upgraded).finally(free);
  free();
  return undefined;
}

/** If a client neither reads nor closes, its connection is cut off after this time. */
const LINGER_MS = 1_000;

/** Writes a whole response. The connection closes when the client has closed its half, or after the linger time. */
function deny(socket: Duplex, { status, contentType, body }: ResponseContent, headers: HeaderList): void {
  if (socket.destroyed) return;
  const all: HeaderList = [
    // biome-ignore lint/style/noRestrictedGlobals: a response has the date of the server's clock, as Node's own responses have.
    ["Date", new Date().toUTCString()],
    ["Connection", "close"],
    ["Content-Type", contentType],
    ["Content-Length", String(Buffer.byteLength(body))],
    ...headers,
  ];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  // Drops what the client still sends. If unread data remained, closing would reset the connection, and the client
  // might lose the response.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
