/**
 * The milliseconds of processor time that this process uses between two calls. Unlike wall time, it does not depend on
 * what else the machine is doing.
 */
export class CpuTimer {
  readonly #start = process.cpuUsage();

  get elapsedMs(): number {
    const { user, system } = process.cpuUsage(this.#start);
    return (user + system) / 1_000;
  }
}
