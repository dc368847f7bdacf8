import { UsageError } from "../command/usage-error.ts";

/** A condition such as `clients>0.1%`, under which the command fails. */
export interface FailIf {
  readonly text: string;
  readonly what: "clients" | "requests";
  readonly most: number;
  readonly isShare: boolean;
}

type Counts = Readonly<Record<FailIf["what"], number>>;

const CONDITION = /^\s*(clients|requests)\s*>\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/;

/** @throws UsageError */
export function parseFailIf(text: string): FailIf {
  const [, what, most, percent] = CONDITION.exec(text) ?? [];
  if (what === undefined)
    throw new UsageError(`--fail-if: expected such as 'clients>0.1%' or 'requests>100', got ${JSON.stringify(text)}`);
  return { text, what: what as FailIf["what"], most: Number(most), isShare: percent === "%" };
}

/** Whether more than allowed were denied. */
export function fails({ what, most, isShare }: FailIf, denied: Counts, all: Counts): boolean {
  // Multiplied instead of divided: 0.1 % of 1,000 is exactly 1.
  return isShare ? denied[what] * 100 > most * all[what] : denied[what] > most;
}
