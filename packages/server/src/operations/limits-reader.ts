import type { LimitsFile } from "tollgate/config";
import { RequestError } from "../http/request-error.ts";
import { withDomain } from "../limits/check-domain.ts";
import { mistakeLine } from "../limits/mistake.ts";
import { readLimitsWithoutBlocking } from "../limits/read-in-thread.ts";

/** Reads the limits that operators send. It reads one long text at a time: each takes a thread and much memory. */
export class LimitsReader {
  readonly #checkDomain: string | undefined;
  #isReading = false;

  /** `checkDomain` is a domain that limits have to have. */
  constructor(checkDomain: string | undefined) {
    this.#checkDomain = checkDomain;
  }

  /**
   * @param file a name that ends as its format does.
   * @throws RequestError 422 with every mistake, 503 while other limits are being read, or without a thread to read in.
   */
  async read(text: string, file: "limits.json" | "limits.yaml"): Promise<LimitsFile> {
    if (this.#isReading) throw new RequestError(503, "other limits are being read", {}, { "retry-after": "1" });
    const reading = readLimitsWithoutBlocking([{ file, text }]);
    this.#isReading = reading instanceof Promise;
    try {
      const read = await (reading instanceof Promise ? reading.catch(unreadable) : reading);
      const { value, mistakes } = withDomain(read, this.#checkDomain, file);
      if (value !== undefined) return value;
      throw new RequestError(422, mistakes.map(mistakeLine).join("\n"), {
        mistakes: mistakes.map(({ line, column, message }) => ({ line, column, message })),
      });
    } finally {
      if (reading instanceof Promise) this.#isReading = false;
    }
  }
}

/** The thread could not start, or ran out of memory. */
function unreadable(cause: unknown): never {
  throw new RequestError(503, `the limits could not be read: ${String(cause)}`, {}, { "retry-after": "1" });
}
