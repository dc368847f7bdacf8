import { readFileSync } from "node:fs";
import { isLimitsCommand } from "../limits/commands/usage.ts";
import { type Log, type LogEntry, openLog } from "../log/log.ts";
import { type Service, startService } from "../service.ts";
import { WORKER_ENV } from "../workers/messages.ts";
import { parseCommandLine } from "./command-line.ts";
import { HELP } from "./help.ts";
import type { ServeSettings } from "./serve-settings.ts";
import { stopOnSignals } from "./stop-on-signals.ts";
import { keepNewObjectsYoung } from "./young-objects.ts";

/** The exit codes of errors that a person can act on, by name: a worker sends the name and the message of its error. */
const EXIT_CODES: ReadonlyMap<string, 1 | 2> = new Map([
  ["UsageError", 2],
  ["TollgateError", 2],
  ["ListenError", 1],
  ["FilesError", 1],
  ["WorkerError", 1],
  ["LimitsError", 1],
]);

void run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<void> {
  // A closed output pipe must not stop the service.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    if (isLimitsCommand(args[0])) {
      const { runLimitsCommand } = await import("../limits/commands/limits-command.ts");
      process.exitCode = runLimitsCommand(args, { print, printError });
      return;
    }
    if (args[0] === "replay") {
      const { runReplayCommand } = await import("../replay/replay-command.ts");
      process.exitCode = await runReplayCommand(args.slice(1), { print, printError });
      return;
    }
    const command = parseCommandLine(args);
    switch (command.kind) {
      case "help":
        return print(HELP);
      case "version":
        return print(version());
      case "serve":
        return await serve(command.settings);
      default:
        return command satisfies never;
    }
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const exitCode = EXIT_CODES.get(name);
    if (exitCode === undefined) throw error;
    // Mistakes are a line each, as compilers write them.
    printError(name === "LimitsError" ? message : `tollgate: ${message}`);
    process.exitCode = exitCode;
  }
}

async function serve(settings: ServeSettings): Promise<void> {
  keepNewObjectsYoung();
  const log = openLog(settings.logFormat, { out: print, error: printError });
  if (process.env[WORKER_ENV] !== undefined && process.send !== undefined) {
    const { runWorker } = await import("../workers/run-worker.ts");
    return runWorker(settings, log);
  }
  const service = await open(settings, log);
  // Before the log says that the service listens: an earlier signal would end the process at once.
  stopOnSignals(service, log);
  process.on("SIGHUP", () => service.reload());
  const { url, adminUrl } = service;
  if (adminUrl !== undefined) {
    const text = `tollgate serves operators on ${adminUrl}`;
    log({ level: "info", event: "admin-listening", text, fields: { url: adminUrl } });
  }
  if (service.grpcPort !== undefined) {
    const text = `tollgate serves gRPC on port ${service.grpcPort}`;
    log({ level: "info", event: "grpc-listening", text, fields: { port: service.grpcPort } });
  }
  log({ level: "info", event: "listening", ...listening(url, settings) });
}

async function open(settings: ServeSettings, log: Log): Promise<Service> {
  if (settings.workers === 1) return startService({ ...settings, log });
  const { startWorkers } = await import("../workers/start-workers.ts");
  return startWorkers(settings, log);
}

function listening(url: string, { application }: ServeSettings): Pick<LogEntry, "text" | "fields"> {
  switch (application.kind) {
    case "demo": {
      const { capacity, refill } = application;
      const text = `tollgate is listening on ${url} (per client: capacity ${capacity}, refill ${refill.text})`;
      return { text, fields: { url, capacity, refill: refill.text } };
    }
    case "limits": {
      const { path } = application;
      return { text: `tollgate is listening on ${url} (limits of ${path})`, fields: { url, limits: path } };
    }
    default:
      return application satisfies never;
  }
}

function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
