import { DEGRADED } from "./serving.ts";

const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /;
const DEGRADED_LINE = new RegExp(`^${DEGRADED}: `, "i");

/** Is notified of responses in their order. */
export interface AnswerListener {
  onStatus(status: number): void;
  /** Belongs to the response of the last status. */
  onDegraded(): void;
}

/** Finds responses in the data of one connection. Bodies must not contain a status line. */
export class AnswerReader {
  readonly #listener: AnswerListener;
  #rest = "";

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) {
      // The body of the previous response may be in the same line.
      const status = line.includes("HTTP/1.1 ") ? STATUS_LINE.exec(line) : null;
      if (status !== null) this.#listener.onStatus(Number(status[1]));
      else if (line.length < 100 && line[0]?.toLowerCase() === "x") {
        if (DEGRADED_LINE.test(line)) this.#listener.onDegraded();
      }
    }
  }
}
