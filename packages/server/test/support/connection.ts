import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A client that says exactly what it is told to, whether or not that is HTTP. */
export class Connection {
  readonly socket: Socket;
  /** Resolves when the connection has closed, on either side. */
  readonly closed: Promise<unknown>;
  received = "";

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.received += text;
    });
    // A reset is one of the ways to be cut off.
    socket.on("error", () => {});
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Resolves when the server has sent this. */
  async receives(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.received)) await once(this.socket, "data");
  }
}

/** Connects to a service; the end of the test ends the connection. */
export async function openConnection(url: string, localAddress?: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress !== undefined && { localAddress }) });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return new Connection(socket);
}

const HEAD = "GET /ping HTTP/1.1\r\nHost: service\r\n";

/**
 * A request whose head lacks its last line, so that the server waits for the rest. It was sent in one piece with a
 * whole request: whose answer is there, of that the server has read both.
 */
export async function openRequestInFlight(url: string): Promise<Connection> {
  const connection = await openConnection(url);
  connection.send(`${HEAD}\r\n${HEAD}`);
  await connection.receives(/pong/);
  connection.received = "";
  return connection;
}
