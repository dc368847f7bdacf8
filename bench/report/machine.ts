import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** Where a run took place; nothing that names the host. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly os: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}, ${process.arch}`,
    node: process.version,
  };
}
