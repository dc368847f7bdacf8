import { createHash } from "node:crypto";

/** A token of the admin listener. */
export interface AdminToken {
  readonly token: string;
  /** What the log calls it. Without one, it is called by the beginning of its hash. */
  readonly name?: string;
  /** `"read"`: it changes nothing, such as that of a monitoring system. */
  readonly access: "read" | "write";
}

const HASH_CHARACTERS = 12;

/** What the log calls a token. `printf %s TOKEN | sha256sum` finds it. */
export function nameOfToken({ name, token }: AdminToken): string {
  return name ?? `token-${createHash("sha256").update(token).digest("hex").slice(0, HASH_CHARACTERS)}`;
}
