/** What the server has spent on one command. */
export interface CommandStats {
  readonly calls: number;
  readonly us: number;
  /** Answered with an error, before or after it began. */
  readonly failures: number;
}

/** Reads `INFO commandstats`. Commands that scripts gave are there under their own names, and in the time of the script again. */
export function readCommandStats(info: string): Map<string, CommandStats> {
  const lines = info.matchAll(/^cmdstat_(\S+?):(\S+)\r?$/gm);
  return new Map(Array.from(lines, ([, name = "", fields = ""]) => [name, statsOf(fields)]));
}

function statsOf(fields: string): CommandStats {
  const numbers = new Map(fields.split(",").map((field) => field.split("=") as [string, string]));
  const of = (field: string) => Number(numbers.get(field) ?? 0);
  return { calls: of("calls"), us: of("usec"), failures: of("rejected_calls") + of("failed_calls") };
}

/** From `INFO cpu`: what the thread that carries out commands took of the processor. */
export function readMainThreadUs(info: string): number {
  const seconds = [...info.matchAll(/^used_cpu_(?:sys|user)_main_thread:([\d.]+)\r?$/gm)];
  if (seconds.length !== 2)
    throw new Error("expected a server that tells the time of its main thread, as Redis from 6.2");
  return seconds.reduce((sum, [, text]) => sum + Number(text), 0) * 1_000_000;
}
