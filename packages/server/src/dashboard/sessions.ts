import { randomBytes } from "node:crypto";
import type { Clock } from "tollgate";
import type { Holder } from "../admin/bearer-tokens.ts";

const LONGEST_MS = 12 * 3_600_000;
/** A token that opens more loses its oldest one. */
const MOST_OF_ONE = 16;

/** Sessions of pages: each stands for a token, which the page does not keep. */
export class Sessions {
  readonly #clock: Clock;
  readonly #open = new Map<string, { readonly holder: Holder; readonly untilMs: number }>();
  /** Cookies do not tell ports apart: another service of this host has another name. */
  readonly #cookie = `tollgate-${randomBytes(6).toString("hex")}`;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a session. @returns the cookie for its page. */
  open(holder: Holder, isSecure: boolean): string {
    const nowMs = this.#clock.now();
    for (const [id, { untilMs }] of this.#open) if (untilMs <= nowMs) this.#open.delete(id);
    const own = [...this.#open].filter(([, session]) => session.holder.name === holder.name);
    for (const [id] of own.slice(0, Math.max(0, own.length + 1 - MOST_OF_ONE))) this.#open.delete(id);
    const id = randomBytes(24).toString("base64url");
    this.#open.set(id, { holder, untilMs: nowMs + LONGEST_MS });
    const secure = isSecure ? "; Secure" : "";
    return `${this.#cookie}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${LONGEST_MS / 1_000}${secure}`;
  }

  /** The client of a request's `Cookie`. Others of this host may set cookies of the same name. */
  find(header = ""): Holder | undefined {
    const cookies = header.split(/;\s*/);
    const nowMs = this.#clock.now();
    const isSent = (id: string): boolean => cookies.includes(`${this.#cookie}=${id}`);
    const [, found] = [...this.#open].find(([id, { untilMs }]) => untilMs > nowMs && isSent(id)) ?? [];
    return found?.holder;
  }
}
