import type { LimitsFile } from "tollgate/config";
import { type Mistake, mistakeLine } from "../limits/mistake.ts";
import { areLong, readLimitsLater } from "../limits/read-limits-files.ts";
import { RequestError } from "./request-error.ts";

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
   * @throws RequestError 422 with every mistake, 503 while other limits are being read.
   */
  async read(text: string, file: "limits.json" | "limits.yaml"): Promise<LimitsFile> {
    const texts = [{ file, text }];
    if (!areLong(texts)) return this.#checked(file, await readLimitsLater(texts));
    if (this.#isReading) throw new RequestError(503, "other limits are being read", {}, { "retry-after": "1" });
    this.#isReading = true;
    try {
      return this.#checked(file, await readLimitsLater(texts));
    } finally {
      this.#isReading = false;
    }
  }

  #checked(file: string, { value, mistakes }: Awaited<ReturnType<typeof readLimitsLater>>): LimitsFile {
    if (mistakes !== undefined) throw mistaken(mistakes);
    const domain = this.#checkDomain;
    if (domain === undefined || Object.hasOwn(value.domains, domain)) return value;
    const message = `domains: expected the domain ${JSON.stringify(domain)}, which decides /check`;
    throw mistaken([{ file, line: 1, column: 1, message }]);
  }
}

function mistaken(mistakes: readonly Mistake[]): RequestError {
  return new RequestError(422, mistakes.map(mistakeLine).join("\n"), {
    mistakes: mistakes.map(({ line, column, message }) => ({ line, column, message })),
  });
}
