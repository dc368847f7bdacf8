import type { Bytes } from "../bytes.ts";

/** A request as an access log tells it. It holds until the next line is read. */
export interface Entry {
  /** Microseconds since the epoch. */
  readonly timeUs: number;
  /** The address of the client, without a port. */
  readonly address: Bytes;
  /** Reads the rest of the line, which takes longer than the time and the address, and is not always asked for. */
  readonly details: () => Details;
}

/** What a line has of a request beside its time and its client; empty where it has nothing. */
export interface Details {
  readonly user: string;
  readonly method: string;
  /** The target, with its query. */
  readonly path: string;
  readonly host: string;
  readonly userAgent: string;
}

/** Reads the lines of one format of access logs. */
export interface LogFormat {
  /** The name in what the command prints. */
  readonly name: string;
  /** `"skip"` for a line that is no request, such as a comment; `undefined` for one that the format does not have. */
  read(line: Bytes): Entry | "skip" | undefined;
}
