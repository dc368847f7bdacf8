import type { Clock } from "tollgate";
import type { Limits, LimitsFile } from "tollgate/config";
import { versionOf } from "./limits-version.ts";
import { type RuleOverride, RuleOverrides, ruleOf, withOverrides } from "./rule-overrides.ts";

/** Where limits come from: the files that the service was started with, or an operator. */
export type LimitsSource = "files" | "operator";

/** What happened without a request of an operator. */
export type OwnChange =
  | { readonly what: "files-loaded"; readonly before: string; readonly after: string }
  | { readonly what: "override-expired"; readonly override: RuleOverride }
  /** Limits came into force that do not have the rule. */
  | { readonly what: "rule-gone"; readonly override: RuleOverride; readonly source: LimitsSource };

export interface InForceOptions {
  readonly limits: Limits | Limits<"async">;
  /** The limits of the files with which the service begins. They are in force. */
  readonly file: LimitsFile;
  readonly clock: Clock;
  readonly onOwnChange: (change: OwnChange) => void;
  /** Is notified of limits that come into force, with overrides. */
  readonly onInstall: (file: LimitsFile) => void;
}

/**
 * The limits that are in force: those of the files, or what an operator has put in their place until the files change,
 * and on top of them the overrides of single rules.
 */
export class LimitsInForce {
  readonly limits: Limits | Limits<"async">;
  readonly #options: InForceOptions;
  readonly #overrides: RuleOverrides;
  #ofFiles: LimitsFile;
  #file: LimitsFile;
  #version: string;
  #source: LimitsSource = "files";
  #since: Date;

  constructor(options: InForceOptions) {
    this.#options = options;
    this.limits = options.limits;
    this.#ofFiles = options.file;
    this.#file = options.file;
    this.#version = versionOf(options.file);
    this.#since = new Date(options.clock.now());
    this.#overrides = new RuleOverrides(options.clock, (expired) => {
      this.#install(this.#file);
      for (const override of expired) options.onOwnChange({ what: "override-expired", override });
    });
    options.onInstall(options.file);
  }

  /** The limits without overrides. */
  get file(): LimitsFile {
    return this.#file;
  }

  /** The limits with overrides. */
  get effective(): LimitsFile {
    return this.withOverrides(this.#file);
  }

  /** That of the limits without overrides. */
  get version(): string {
    return this.#version;
  }

  get source(): LimitsSource {
    return this.#source;
  }

  /** When they came into force. */
  get since(): Date {
    return this.#since;
  }

  get overrides(): readonly RuleOverride[] {
    return this.#overrides.list;
  }

  get overrideCount(): number {
    return this.#overrides.size;
  }

  withOverrides(file: LimitsFile): LimitsFile {
    return withOverrides(file, this.overrides);
  }

  /** The files were read again: they replace what an operator has put. Requests are served in between. */
  async takeFiles(file: LimitsFile): Promise<void> {
    this.#ofFiles = file;
    let effective = this.withOverrides(file);
    // What an operator changes meanwhile is in force at once, so it is begun again with the operator's overrides.
    while (!(await this.limits.updateInSteps(effective))) effective = this.withOverrides(file);
    const before = this.#version;
    this.#options.onInstall(effective);
    this.#note(file, "files");
    this.#options.onOwnChange({ what: "files-loaded", before, after: this.#version });
  }

  /** Puts limits in force until the files change. */
  put(file: LimitsFile): void {
    this.#replace(file, "operator");
  }

  /** Puts the limits of the files in force again. */
  returnToFiles(): void {
    this.#replace(this.#ofFiles, "files");
  }

  /** @returns `undefined` if no limits in force have the rule, `false` if there are too many overrides. */
  override(override: RuleOverride): boolean | undefined {
    if (ruleOf(this.#file, override.domain, override.rule) === undefined) return undefined;
    const isSet = this.#overrides.set(override);
    if (isSet) this.#install(this.#file);
    return isSet;
  }

  /** @returns the override that was ended. */
  endOverride(domain: string, rule: string): RuleOverride | undefined {
    const ended = this.#overrides.find(domain, rule);
    if (ended === undefined) return undefined;
    this.#overrides.remove(domain, rule);
    this.#install(this.#file);
    return ended;
  }

  close(): void {
    this.#overrides.close();
  }

  #replace(file: LimitsFile, source: LimitsSource): void {
    this.#install(file);
    this.#note(file, source);
  }

  /** Notes which limits are in force. Overrides of rules that are gone end. */
  #note(file: LimitsFile, source: LimitsSource): void {
    this.#file = file;
    this.#source = source;
    this.#version = versionOf(file);
    this.#since = new Date(this.#options.clock.now());
    for (const override of this.#overrides.keepThoseOf(file)) {
      this.#options.onOwnChange({ what: "rule-gone", override, source });
    }
  }

  #install(file: LimitsFile): void {
    const effective = this.withOverrides(file);
    this.limits.update(effective);
    this.#options.onInstall(effective);
  }
}
