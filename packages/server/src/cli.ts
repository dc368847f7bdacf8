import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { TollgateError } from "tollgate";
import { HELP, parseCommandLine, UsageError } from "./command-line.ts";
import { ListenError } from "./listen.ts";
import { type Service, type ServiceSettings, startService } from "./service.ts";

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C under `npm start` arrives twice, from the terminal and from npm. Signals within this time are one. */
const SAME_SIGNAL_MS = 250;

void run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<void> {
  // A closed output pipe must not stop the service.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    const command = parseCommandLine(args);
    switch (command.kind) {
      case "help":
        return log(HELP);
      case "version":
        return log(version());
      case "serve":
        return await serve(command.settings);
      default:
        return command satisfies never;
    }
  } catch (error) {
    if (error instanceof UsageError || error instanceof TollgateError) return exitWith(error, 2);
    if (error instanceof ListenError) return exitWith(error, 1);
    throw error;
  }
}

async function serve(settings: ServiceSettings): Promise<void> {
  const service = await startService({ ...settings, log, logError });
  // Before the log says that the service listens: an earlier signal would end the process at once.
  stopOnSignals(service);
  const { capacity, refillPerSecond } = settings;
  const limit = `capacity ${capacity}, refill ${refillPerSecond} per second`;
  log(`tollgate is listening on ${service.url} (per client: ${limit})`);
}

function stopOnSignals(service: Service): void {
  let stoppingSinceMs: number | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stoppingSinceMs !== undefined) {
      if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(128 + constants.signals[signal]);
      return;
    }
    stoppingSinceMs = performance.now();
    const closed = service.close();
    // After `close` was called: the server accepts no more connections.
    log(`tollgate is stopping on ${signal}: requests in flight may finish, a second signal does not wait`);
    await closed;
    process.exit(0);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, () => void stop(signal));
}

function exitWith(error: Error, exitCode: 1 | 2): void {
  logError(`tollgate: ${error.message}`);
  process.exitCode = exitCode;
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

function log(line: string): void {
  process.stdout.write(`${line}\n`);
}

function logError(line: string): void {
  process.stderr.write(`${line}\n`);
}
