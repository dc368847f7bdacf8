import type { ServiceName } from "./service-kinds.ts";

/** How a client ends after the last byte. */
export type Ending =
  /** Waits for all responses, which have to come, and hangs up. */
  | { readonly kind: "answers"; readonly count: number }
  /** Closes its side. The server has to close the other one. */
  | { readonly kind: "half-close" }
  /** Resets the connection after a time. */
  | { readonly kind: "reset"; readonly afterMs: number }
  /** Says nothing more. The server has to end the connection some time. */
  | { readonly kind: "silence" };

/** Bytes over a connection of their own. */
export interface BytesInput {
  readonly kind: "http" | "admin" | "frames";
  readonly service: ServiceName;
  readonly chunks: readonly Buffer[];
  /** The pause between two chunks. */
  readonly pauseMs: number;
  readonly ending: Ending;
}

/** A call of gRPC in good HTTP/2. */
export interface CallInput {
  readonly kind: "call";
  readonly service: ServiceName;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With the prefix that states its length, which may be wrong. */
  readonly body: Buffer;
  /** Whether the client resets the stream without waiting. */
  readonly isReset: boolean;
}

/** A new text of the watched limits file. */
export interface LimitsInput {
  readonly kind: "limits-file";
  readonly service: ServiceName;
  readonly text: Buffer;
  /** How it gets there: by a rename, written in place, in two steps, or after the file was missing. */
  readonly by: "rename" | "write" | "two writes" | "removal";
}

export type Input = BytesInput | CallInput | LimitsInput;

export type InputKind = Input["kind"];
