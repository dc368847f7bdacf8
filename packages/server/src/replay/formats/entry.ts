/** A request as an access log tells it. Readers write each line into the same entry. */
export interface Entry {
  /** Whether more than the time and the client is asked for. What is not may keep the text of an earlier line. */
  readonly isWhole: boolean;
  /** Microseconds since the epoch. */
  timeUs: number;
  /** The address of the client, without a port. */
  address: string;
  /** Where the line has the address; 0 if only `address` has it. Text for each line would take half of the time. */
  addressEnd: number;
  user: string;
  method: string;
  /** The target, with its query. */
  path: string;
  host: string;
  userAgent: string;
}

export function emptyEntry(isWhole: boolean): Entry {
  return { isWhole, timeUs: 0, address: "", addressEnd: 0, user: "", method: "", path: "", host: "", userAgent: "" };
}

export type Outcome = "request" | "skip" | "unreadable";

/** Reads the lines of one format of access logs. */
export interface LogFormat {
  /** The name in what the command prints. */
  readonly name: string;
  /**
   * Writes the request of a line into the entry: the line that the bytes have from `start` to `end`. Says `"skip"` for
   * a line that is no request, such as a comment, and `"unreadable"` for one that the format does not have.
   */
  read(bytes: Buffer, start: number, end: number, entry: Entry): Outcome;
}

/** Text of a line: Latin-1, one character a byte, so that UTF-8 passes unchanged. */
export function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, end);
}

/** Reads a line that is text. */
export function readText(format: LogFormat, line: string, entry: Entry): Outcome {
  const bytes = Buffer.from(line, "latin1");
  return format.read(bytes, 0, bytes.length, entry);
}
