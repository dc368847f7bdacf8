import { connect } from "node:net";
import { RawConnection } from "./raw-connection.ts";
import { type Argument, type RawReply, type Reply, textOf } from "./resp.ts";

/** Asks the server at the port one thing, over a connection of its own: bulk strings of the answer are bytes. */
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

/** Asks the server at the port one thing; throws the error that it answers. */
export async function ask(port: number, ...command: readonly Argument[]): Promise<Reply> {
  return textOf(await askRaw(port, command));
}
