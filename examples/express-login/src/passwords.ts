import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

interface Stored {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const hashOf = promisify(scrypt) as (password: string, salt: Buffer, bytes: number) => Promise<Buffer>;

/** Accounts and the hashes of their passwords. A real application keeps them in a database. */
export class Passwords {
  readonly #stored = new Map<string, Stored>();
  /** Compared for accounts that do not exist, so that they take as long as others. */
  readonly #nothing: Stored = { salt: randomBytes(16), hash: randomBytes(32) };

  async set(account: string, password: string): Promise<void> {
    const salt = randomBytes(16);
    this.#stored.set(account, { salt, hash: await hashOf(password, salt, 32) });
  }

  async areCorrect(account: string, password: string): Promise<boolean> {
    const { salt, hash } = this.#stored.get(account) ?? this.#nothing;
    return timingSafeEqual(await hashOf(password, salt, 32), hash);
  }
}
