import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The address is not available. The message says why, on one line. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Opens the port, and returns the URL with the real one.
 *
 * @throws ListenError when it cannot be opened.
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen({ host, port });
    await once(server, "listening");
  } catch (error) {
    throw listenError(error, host, port);
  }
  return urlOf(server.address() as AddressInfo);
}

export function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** @returns the cause itself if it is not about the address. */
export function listenError(cause: unknown, host: string, port: number): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new ListenError(`--port: expected a free port, got ${port}, which is in use on ${host}`, { cause });
    case "EACCES":
      return new ListenError(`--port: expected a port that this user may open, got ${port}`, { cause });
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "EINVAL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ListenError(`--host: expected an address of this machine, got ${JSON.stringify(host)} (${code})`, {
        cause,
      });
    default:
      return cause;
  }
}
