import type { Clock } from "tollgate";
import type { Limits, LimitsFile } from "tollgate/config";
import type { OperatorRoutes } from "../http/operator.ts";
import { withDomain } from "../limits/check-domain.ts";
import { LimitsFiles } from "../limits/limits-files.ts";
import { LimitsInForce } from "../limits/limits-in-force.ts";
import { readLimitsWithoutBlocking } from "../limits/read-in-thread.ts";
import { readLimitsFiles } from "../limits/read-limits-files.ts";
import type { Log } from "../log/log.ts";
import { auditOwnChange } from "./audited-changes.ts";
import { operationRoutes } from "./operation-routes.ts";
import type { Operated, OperationSettings } from "./operation-settings.ts";

/** Limits of files, and the domain that decides `/check`: limits that lack it are refused. */
export interface OpenedLimits {
  readonly files: LimitsFiles<LimitsFile>;
  readonly checkDomain: string | undefined;
}

/**
 * @param named `undefined`: the first domain of the files.
 * @throws FilesError if the files cannot be read; LimitsError if they have mistakes, or lack the domain.
 */
export async function openLimitsFiles(path: string, named: string | undefined, log: Log): Promise<OpenedLimits> {
  const files = await LimitsFiles.open(path, log, (texts) => withDomain(readLimitsFiles(texts), named, path));
  return { files, checkDomain: named ?? Object.keys(files.first.domains)[0] };
}

/** What operators reach limits by. */
export interface OperatedParts extends Operated {
  readonly clock: Clock;
  readonly log: Log;
  /** They have the limits with which the files began. */
  readonly limits: Limits | Limits<"async">;
  /** Is notified of limits that have come into force, with overrides. */
  readonly onInstall: (effective: LimitsFile) => void;
  /** Is notified when files have been taken or refused. */
  readonly onStatus?: () => void;
}

/** Limits of files that operators may change while they are in force. */
export interface OperatedLimits {
  readonly inForce: LimitsInForce;
  readonly routes: OperatorRoutes;
  readonly operations: OperationSettings;
  close(): void;
}

/** Follows files, and what operators make of their limits. */
export function operateLimits(
  { files, checkDomain }: OpenedLimits,
  { limits, onInstall, onStatus = () => {}, ...parts }: OperatedParts,
): OperatedLimits {
  const { clock, log, reached } = parts;
  const onOwnChange = auditOwnChange.bind(undefined, log);
  const inForce = new LimitsInForce({ limits, file: files.first, clock, onOwnChange, onInstall });
  files.watch({
    recompile: async (texts) => withDomain(await readLimitsWithoutBlocking(texts), checkDomain, files.path),
    replace: async (file) => {
      await inForce.takeFiles(file);
      // The log says that files are loaded when all workers have them.
      await reached();
    },
    onStatus,
  });
  const operations: OperationSettings = { inForce, checkDomain, ...parts };
  const close = (): void => {
    files.close();
    inForce.close();
  };
  return { inForce, routes: operationRoutes(operations), operations, close };
}
