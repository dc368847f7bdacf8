import { connect } from "node:net";
import { RawConnection } from "./raw-connection.ts";
import { type Argument, type RawReply, type Reply, textOf } from "./resp.ts";

/** Sends one command over a new connection. Bulk strings of the reply are bytes. */
export async function askRaw(port: number, command: readonly Argument[], patienceMs = 5_000): Promise<RawReply> {
  const connection = new RawConnection(connect(port, "127.0.0.1"));
  const { socket } = connection;
  socket.setTimeout(patienceMs, () => {
    socket.destroy(new Error(`no answer from port ${port} to ${String(command[0])} within ${patienceMs} ms`));
  });
  try {
    return await connection.call(...command);
  } finally {
    connection.close();
  }
}

/** Sends one command over a new connection. Throws the error of the server. */
export async function ask(port: number, ...command: readonly Argument[]): Promise<Reply> {
  return textOf(await askRaw(port, command));
}
