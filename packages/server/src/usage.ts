import { DEFAULT_HOST, NUMBERS } from "./flags.ts";

export const USAGE: string =
  "tollgate serve [--port <number>] [--host <address>] [--capacity <number>] [--refill-per-second <number>] " +
  "[--trust-proxy <hops | addresses>]";

/** What `--help` prints. */
export const HELP: string = `Usage: ${USAGE}
       tollgate --help | --version

Serves HTTP, and limits what each client may ask: its X-API-Key, else its address, is the client.

  GET /       health, and
  GET /ping   share one limit per client: --capacity and --refill-per-second
  GET /test   has a limit of its own: 3 at once, 1 per second

  --port <number>               0 for any free port (default: ${NUMBERS.port.byDefault})
  --host <address>              where to listen (default: ${DEFAULT_HOST}, this machine only)
  --capacity <number>           requests that a client can make at once (default: ${NUMBERS.capacity.byDefault})
  --refill-per-second <number>  requests that it gets back every second (default: ${NUMBERS["refill-per-second"].byDefault})
  --trust-proxy <hops | list>   the proxies in front: how many, or their addresses and CIDR blocks with commas
                                between them (default: none, X-Forwarded-For is ignored)
  --help                        print this
  --version                     print the version

SIGINT and SIGTERM let requests in flight finish; a second one does not wait.
Exit codes: 0 stopped, 1 the address cannot be had, 2 the command line is wrong.`;
