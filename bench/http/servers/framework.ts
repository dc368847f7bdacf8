import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Limiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import type { Front } from "../variants.ts";

export const BODY = "hello";
export const HOST = "127.0.0.1";
export const DAY_MS = 86_400_000;

/** A framework with what it may have in front of the handler. Each part is loaded when it is made. */
export interface Framework<Middleware> {
  usual?(limit: number): Promise<Middleware>;
  tollgate(options: { readonly limiter: Limiter<HttpFacts>; readonly headers?: false }): Promise<Middleware>;
  /** Returns the port. */
  serve(middleware?: Middleware): Promise<number>;
}

/** Serves with a limit of so many requests a day from each address. Returns the port. */
export async function serve<Middleware>(framework: Framework<Middleware>, front: Front, limit: number) {
  switch (front) {
    case "nothing":
      return framework.serve();
    case "usual":
      return framework.serve(await framework.usual?.(limit));
    default: {
      const { createLimiter, perDay } = await import("tollgate");
      const { clientIp } = await import("tollgate/node");
      const limiter = createLimiter({ key: clientIp(), limits: [perDay(limit)] });
      return framework.serve(
        await framework.tollgate(front === "tollgate" ? { limiter } : { limiter, headers: false }),
      );
    }
  }
}

export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, HOST), "listening");
  return (server.address() as AddressInfo).port;
}
