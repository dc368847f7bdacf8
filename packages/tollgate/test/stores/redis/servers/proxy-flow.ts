import type { Socket } from "node:net";

/** The bytes of one side, and how it ends. */
export type Sent = Buffer | "end" | "reset";

interface Part {
  readonly sent: Sent;
  readonly dueMs: number;
}

/** One direction of a connection. Bytes are forwarded in order, after their delay and unless they are held. */
export class ProxyFlow {
  readonly #parts: Part[] = [];
  readonly #target: Socket;
  #isKept = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: Socket) {
    this.#target = target;
  }

  /** Whether bytes are held or delayed. */
  get isHolding(): boolean {
    return this.#parts.some(({ sent }) => Buffer.isBuffer(sent));
  }

  push(sent: Sent, delayMs: number): void {
    const before = this.#parts.at(-1)?.dueMs ?? 0;
    this.#parts.push({ sent, dueMs: Math.max(before, performance.now() + delayMs) });
    this.#passOn();
  }

  keep(isKept: boolean): void {
    this.#isKept = isKept;
    this.#passOn();
  }

  drop(): void {
    this.#parts.length = 0;
    clearTimeout(this.#timer);
  }

  #passOn(): void {
    clearTimeout(this.#timer);
    if (this.#isKept) return;
    for (;;) {
      const part = this.#parts[0];
      if (part === undefined) return;
      const waitMs = part.dueMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#passOn(), Math.ceil(waitMs));
        return;
      }
      this.#parts.shift();
      this.#send(part.sent);
    }
  }

  #send(sent: Sent): void {
    if (this.#target.destroyed) return;
    if (sent === "end") this.#target.end();
    else if (sent === "reset") this.#target.resetAndDestroy();
    else this.#target.write(sent);
  }
}
