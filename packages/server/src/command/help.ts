import { LIMITS_USAGE } from "../limits/commands/usage.ts";
import { REPLAY_USAGE } from "../replay/usage.ts";
import { PLAIN_FLAGS, VALUE_FLAGS } from "./flags.ts";

export const USAGE = "tollgate serve [flags]";

/** What `--help` prints. */
export const HELP: string = `Usage: ${[USAGE, ...LIMITS_USAGE, REPLAY_USAGE].join("\n       ")}
       tollgate --help | --version

Serves HTTP and limits each client. A client is an X-API-Key, or else an address.

  GET /         health, and
  GET /ping     share one limit per client: --capacity and --refill-per-second
  GET /test     has its own limit: 3 at once, 1 per second
  GET /healthz  is not limited
  /check        answers proxies about their clients' requests: 200, or 429 beyond the client's limit
  /check/403    the same for nginx, with 403 for 429

${flagLines().join("\n")}

SIGINT and SIGTERM let requests in flight finish. A second signal ends the process at once.
SIGHUP reads the limits and certificates again.
Exit codes: 0 stopped, 1 an address is not available or the limits are wrong, 2 the command line is wrong.`;

function flagLines(): string[] {
  const flags = [
    ...Object.entries(VALUE_FLAGS).map(([name, { value, help }]) => ({ flag: `--${name} ${value}`, help })),
    ...Object.entries(PLAIN_FLAGS).map(([name, help]) => ({ flag: `--${name}`, help: [help] })),
  ];
  const width = Math.max(...flags.map(({ flag }) => flag.length)) + 2;
  return flags.flatMap(({ flag, help }) =>
    help.map((line, index) => `  ${(index === 0 ? flag : "").padEnd(width)}${line}`),
  );
}
