import { parseArgs } from "node:util";

export interface RunOptions {
  readonly rounds: number;
  /** One round, fewer decisions. */
  readonly quick: boolean;
  /** Tasks whose names have this in them. */
  readonly only: string;
}

const ROUNDS = 5;

/** @throws Error when a flag is unknown or `BENCH_ROUNDS` is no whole number from 1 up. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): RunOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: "boolean", default: false }, only: { type: "string", default: "" } },
  });
  return { quick: values.quick, only: values.only, rounds: readRounds(env, values.quick ? 1 : ROUNDS) };
}

export function readRounds(env: NodeJS.ProcessEnv, otherwise: number): number {
  const text = env["BENCH_ROUNDS"];
  if (text === undefined || text === "") return otherwise;
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`BENCH_ROUNDS: expected a whole number from 1 up, got ${text}`);
  return rounds;
}
