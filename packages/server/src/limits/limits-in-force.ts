import type { Clock } from "tollgate";
import type { Limits, LimitsFile } from "tollgate/config";
import { ChangeQueue } from "./change-queue.ts";
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
  /** Is notified of limits that have come into force, with overrides. */
  readonly onInstall: (effective: LimitsFile) => void;
}

/** A change of the limits as a whole. */
export interface Replaced {
  readonly before: string;
  readonly version: string;
  readonly source: LimitsSource;
}

/** Throws if a change is not to be made of the version that is in force when its turn comes. */
type CheckVersion = (version: string) => void;

/**
 * The limits that are in force: those of the files, or what an operator has put in their place until the files change,
 * and on top of them the overrides of single rules. Changes are made one after another. While limits are compiled,
 * those before decide requests.
 */
export class LimitsInForce {
  readonly limits: Limits | Limits<"async">;
  readonly #options: InForceOptions;
  readonly #changes = new ChangeQueue();
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
    this.#overrides = new RuleOverrides(options.clock, () => void this.#changes.run(() => this.#expire()));
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

  withOverrides(file: LimitsFile): LimitsFile {
    return withOverrides(file, this.overrides);
  }

  /** The files were read again: they replace what an operator has put. */
  takeFiles(file: LimitsFile): Promise<void> {
    return this.#changes.run(async () => {
      const before = this.#version;
      await this.#replace(file, "files");
      this.#ofFiles = file;
      this.#options.onOwnChange({ what: "files-loaded", before, after: this.#version });
    });
  }

  /** Puts limits in force until the files change. */
  put(file: LimitsFile, check: CheckVersion): Promise<Replaced> {
    return this.#change(() => file, "operator", check);
  }

  /** Puts the limits of the files in force again. */
  returnToFiles(check: CheckVersion): Promise<Replaced> {
    return this.#change(() => this.#ofFiles, "files", check);
  }

  /** @returns `"unknown"` if no limits in force have the rule, `"too many"` if as many overrides hold as may. */
  override(override: RuleOverride): Promise<"set" | "unknown" | "too many"> {
    return this.#changes.run(async () => {
      if (ruleOf(this.#file, override.domain, override.rule) === undefined) return "unknown";
      const overrides = this.#overrides.with(override);
      if (overrides === undefined) return "too many";
      await this.#install(this.#file, overrides);
      return "set";
    });
  }

  /** @returns the override that was ended. */
  endOverride(domain: string, rule: string): Promise<RuleOverride | undefined> {
    return this.#changes.run(async () => {
      const ended = this.#overrides.find(domain, rule);
      if (ended !== undefined) await this.#installWithout([ended]);
      return ended;
    });
  }

  close(): void {
    this.#overrides.close();
  }

  #change(fileOf: () => LimitsFile, source: LimitsSource, check: CheckVersion): Promise<Replaced> {
    return this.#changes.run(async () => {
      const before = this.#version;
      check(before);
      await this.#replace(fileOf(), source);
      return { before, version: this.#version, source };
    });
  }

  async #expire(): Promise<void> {
    const { due } = this.#overrides;
    if (due.length === 0) return;
    await this.#installWithout(due);
    for (const override of due) this.#options.onOwnChange({ what: "override-expired", override });
  }

  #installWithout(ended: readonly RuleOverride[]): Promise<void> {
    const others = this.overrides.filter((override) => !ended.includes(override));
    return this.#install(this.#file, others);
  }

  /** Overrides of rules that are gone end. */
  async #replace(file: LimitsFile, source: LimitsSource): Promise<void> {
    const gone = this.overrides.filter(({ domain, rule }) => ruleOf(file, domain, rule) === undefined);
    const kept = this.overrides.filter((override) => !gone.includes(override));
    const version = versionOf(file);
    await this.#install(file, kept, () => {
      this.#source = source;
      this.#version = version;
      this.#since = new Date(this.#options.clock.now());
    });
    for (const override of gone) this.#options.onOwnChange({ what: "rule-gone", override, source });
  }

  /** Nothing has changed if it rejects. */
  async #install(file: LimitsFile, overrides: readonly RuleOverride[], note: () => void = () => {}): Promise<void> {
    const effective = withOverrides(file, overrides);
    const isLoaded = await this.limits.updateInSteps(effective);
    if (!isLoaded) throw new Error("expected one change of limits at a time");
    this.#file = file;
    this.#overrides.replace(overrides);
    note();
    this.#options.onInstall(effective);
  }
}
