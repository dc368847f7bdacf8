import type { Clock } from "tollgate";
import type { Limits, LimitsFile } from "tollgate/config";
import type { OperatorRoutes } from "../http/operator.ts";
import { requireDomain, withDomain } from "../limits/check-domain.ts";
import { LimitsFiles, type LimitsStatus } from "../limits/limits-files.ts";
import { LimitsInForce } from "../limits/limits-in-force.ts";
import { readLimitsWithoutBlocking } from "../limits/read-in-thread.ts";
import { readLimitsFiles } from "../limits/read-limits-files.ts";
import type { Log } from "../log/log.ts";
import { auditOwnChange } from "./audit-own-change.ts";
import { operationRoutes } from "./operation-routes.ts";
import type { Operated, OperationSettings } from "./operation-settings.ts";
import type { Reached } from "./workers-reached.ts";

export interface OperatedSettings {
  /** A file or a directory. */
  readonly path: string;
  /** `undefined`: the first domain of the files. */
  readonly checkDomain: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Is notified when files have been taken or refused. */
  readonly onStatus?: () => void;
}

/** What operators reach limits by. */
export interface OperatedParts extends Operated {
  /** They have the limits with which the files began. */
  readonly limits: Limits | Limits<"async">;
  /** Is notified of limits that have come into force, with overrides. */
  readonly onInstall: (effective: LimitsFile) => void;
}

/** Limits of files that operators may change while they are in force. */
export class OperatedLimits {
  readonly #settings: OperatedSettings;
  readonly #files: LimitsFiles<LimitsFile>;
  /** The domain that decides `/check`: limits that lack it are refused. */
  readonly checkDomain: string | undefined;
  #inForce: LimitsInForce | undefined;
  #reached: Reached = async () => undefined;
  /** Files that changed before `begin`. */
  #early: LimitsFile | undefined;

  private constructor(settings: OperatedSettings, files: LimitsFiles<LimitsFile>, checkDomain: string | undefined) {
    this.#settings = settings;
    this.#files = files;
    this.checkDomain = checkDomain;
  }

  /** @throws FilesError if the files cannot be read; LimitsError if they have mistakes, or lack the domain. */
  static async open(settings: OperatedSettings): Promise<OperatedLimits> {
    const { path, log } = settings;
    // Not known while the first files are read.
    let checkDomain: string | undefined;
    const files = await LimitsFiles.open({
      path,
      compile: readLimitsFiles,
      recompile: async (texts) => withDomain(await readLimitsWithoutBlocking(texts), checkDomain, path),
      replace: (file) => operated.#take(file),
      log,
      ...(settings.onStatus !== undefined && { onStatus: settings.onStatus }),
    });
    const domains = Object.keys(files.first.domains);
    checkDomain = settings.checkDomain ?? domains[0];
    const operated: OperatedLimits = new OperatedLimits(settings, files, checkDomain);
    try {
      if (checkDomain !== undefined) requireDomain(domains, checkDomain, path);
    } catch (error) {
      files.close();
      throw error;
    }
    return operated;
  }

  /** The limits with which the files began. */
  get first(): LimitsFile {
    return this.#files.first;
  }

  readonly status = (): LimitsStatus => this.#files.status;

  begin({ limits, onInstall, ...operated }: OperatedParts): {
    readonly inForce: LimitsInForce;
    readonly routes: OperatorRoutes;
    readonly operations: OperationSettings;
  } {
    const { clock, log } = this.#settings;
    const onOwnChange = auditOwnChange.bind(undefined, log);
    const inForce = new LimitsInForce({ limits, file: this.first, clock, onOwnChange, onInstall });
    this.#inForce = inForce;
    this.#reached = operated.reached;
    if (this.#early !== undefined) void inForce.takeFiles(this.#early);
    const operations: OperationSettings = { inForce, clock, log, checkDomain: this.checkDomain, ...operated };
    return { inForce, routes: operationRoutes(operations), operations };
  }

  reload(): void {
    this.#files.reload();
  }

  close(): void {
    this.#files.close();
    this.#inForce?.close();
  }

  async #take(file: LimitsFile): Promise<void> {
    if (this.#inForce === undefined) this.#early = file;
    else await this.#inForce.takeFiles(file);
    // The log says that files are loaded when all workers have them.
    await this.#reached();
  }
}
