import { readFileSync } from "node:fs";
import { TollgateError } from "tollgate";
import { FilesError } from "../files/read-texts.ts";
import { ListenError } from "../http/listen.ts";
import { isLimitsCommand } from "../limits/commands/usage.ts";
import { LimitsError } from "../limits/limits-files.ts";
import { type LogEntry, openLog } from "../log/log.ts";
import { startService } from "../service.ts";
import { parseCommandLine } from "./command-line.ts";
import { HELP } from "./help.ts";
import type { ServeSettings } from "./serve-settings.ts";
import { stopOnSignals } from "./stop-on-signals.ts";
import { UsageError } from "./usage-error.ts";

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
    if (error instanceof UsageError || error instanceof TollgateError) return exitWith(error, 2);
    if (error instanceof ListenError || error instanceof FilesError) return exitWith(error, 1);
    if (error instanceof LimitsError) return exitWithMistakes(error);
    throw error;
  }
}

async function serve(settings: ServeSettings): Promise<void> {
  const log = openLog(settings.logFormat, { out: print, error: printError });
  const service = await startService({ ...settings, log });
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

function exitWith(error: Error, exitCode: 1 | 2): void {
  printError(`tollgate: ${error.message}`);
  process.exitCode = exitCode;
}

/** One line for each mistake, as compilers write them. */
function exitWithMistakes({ message }: LimitsError): void {
  printError(message);
  process.exitCode = 1;
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
