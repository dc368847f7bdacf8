import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Server as TlsServer } from "node:tls";

/** The address is not available. The message says why, on one line. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Where to listen, and the flags that say so. */
export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The flags begin with this. */
  readonly flags: "--" | "--admin-";
}

/**
 * Opens the port, and returns the URL with the real one.
 *
 * @throws ListenError when it cannot be opened.
 */
export async function listen(server: Server, address: ListenAddress): Promise<string> {
  try {
    server.listen({ host: address.host, port: address.port });
    await once(server, "listening");
  } catch (error) {
    throw listenError(error, address);
  }
  return urlOf(server.address() as AddressInfo, server instanceof TlsServer ? "https" : "http");
}

export function urlOf({ address, family, port }: AddressInfo, scheme = "http"): string {
  return `${scheme}://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** @returns the cause itself if it is not of the system. */
export function listenError(cause: unknown, { host, port, flags }: ListenAddress): unknown {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  if (code === undefined) return cause;
  if (code === "EADDRINUSE")
    return new ListenError(`${flags}port: expected a free port, got ${port}, which is in use on ${host}`, { cause });
  if (code === "EACCES")
    return new ListenError(`${flags}port: expected a port that this user may open, got ${port}`, { cause });
  const got = `${JSON.stringify(host)} (${code})`;
  return new ListenError(`${flags}host: expected an address of this machine, got ${got}`, { cause });
}
