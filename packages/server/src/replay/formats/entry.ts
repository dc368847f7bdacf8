/** A request as an access log tells it. Readers write each line into the same entry. */
export interface Entry {
  /** Whether more than the time and the client is asked for. What is not may keep the text of an earlier line. */
  readonly isWhole: boolean;
  /** Microseconds since the epoch. */
  timeUs: number;
  /** The address of the client, without a port. */
  address: string;
  user: string;
  method: string;
  /** The target, with its query. */
  path: string;
  host: string;
  userAgent: string;
}

export function emptyEntry(isWhole: boolean): Entry {
  return { isWhole, timeUs: 0, address: "", user: "", method: "", path: "", host: "", userAgent: "" };
}

/** Reads the lines of one format of access logs. */
export interface LogFormat {
  /** The name in what the command prints. */
  readonly name: string;
  /**
   * Writes a line's request into the entry. Says `"skip"` for a line that is no request, such as a comment, and
   * `"unreadable"` for one that the format does not have.
   */
  read(line: string, entry: Entry): "request" | "skip" | "unreadable";
}
