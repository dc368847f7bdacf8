import { readFile } from "node:fs/promises";

export const PLAN_NAMES = ["free", "pro"] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export interface Account {
  readonly id: string;
  readonly plan: PlanName;
}

interface Cached {
  readonly account: Account;
  readonly until: number;
}

/** Accounts by API key, from a JSON file that stands for a database. What was found is cached for some seconds. */
export class Accounts {
  readonly #file: string;
  readonly #cacheMs: number;
  readonly #cache = new Map<string, Cached>();

  constructor(file: string, cacheMs: number) {
    this.#file = file;
    this.#cacheMs = cacheMs;
  }

  async find(apiKey: string): Promise<Account | undefined> {
    const cached = this.#cache.get(apiKey);
    if (cached !== undefined && cached.until > Date.now()) return cached.account;
    const account = await this.#query(apiKey);
    // Only keys that exist are cached, so guesses do not fill the memory.
    if (account === undefined) this.#cache.delete(apiKey);
    else this.#cache.set(apiKey, { account, until: Date.now() + this.#cacheMs });
    return account;
  }

  /** With SQL: select id, plan from accounts where api_key = $1. */
  async #query(apiKey: string): Promise<Account | undefined> {
    const rows = JSON.parse(await readFile(this.#file, "utf8")) as { apiKey: string; id: string; plan: string }[];
    const row = rows.find((candidate) => candidate.apiKey === apiKey);
    if (row === undefined) return undefined;
    const plan = PLAN_NAMES.find((name) => name === row.plan);
    // A plan without limits would be an account without limits.
    if (plan === undefined) throw new Error(`account ${row.id}: unknown plan ${row.plan}`);
    return { id: row.id, plan };
  }
}
