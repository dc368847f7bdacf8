import { type Limits, type LimitsFile, trustLimitsFile } from "tollgate/config";
import { ChangeQueue } from "./change-queue.ts";
import { JoinedPieces } from "./limits-pieces.ts";
import type { LimitsLead, LimitsState } from "./limits-state.ts";
import { rememberVersion } from "./limits-version.ts";
import { withOverrides } from "./rule-overrides.ts";

/** The limits of a worker, which are those of the primary process: it reads the files and answers operators. */
export class FollowedLimits {
  readonly #lead: LimitsLead;
  readonly #changes = new ChangeQueue();
  #state: LimitsState;
  #file: LimitsFile;
  /** Puts limits in force. */
  #install: (effective: LimitsFile) => Promise<void> = async () => {};
  #begin: (() => void) | undefined;

  private constructor(lead: LimitsLead, state: LimitsState, file: LimitsFile) {
    this.#lead = lead;
    this.#state = state;
    this.#file = file;
    // While the worker starts, changes wait.
    const begun = new Promise<void>((resolve) => {
      this.#begin = resolve;
    });
    void this.#changes.run(() => begun);
  }

  /** Asks the primary process for its limits. `undefined` if each worker reads the files itself. */
  static async open(lead: LimitsLead): Promise<FollowedLimits | undefined> {
    for (;;) {
      const state = await lead.state();
      if (state === undefined) return undefined;
      const file = await pull(lead, state.version);
      // Otherwise other limits came into force meanwhile.
      if (file !== undefined) return new FollowedLimits(lead, state, file);
    }
  }

  get state(): LimitsState {
    return this.#state;
  }

  /** The limits with overrides. */
  get effective(): LimitsFile {
    return withOverrides(this.#file, this.#state.overrides);
  }

  /** Says which limits follow from now on. They are `effective`; `onInstall` is notified of what comes into force. */
  begin(limits: Limits | Limits<"async">, onInstall: (effective: LimitsFile) => void): void {
    this.#install = async (effective) => {
      const isLoaded = await limits.updateInSteps(effective);
      if (!isLoaded) throw new Error("expected one change of limits at a time");
      onInstall(effective);
    };
    onInstall(this.effective);
    this.#begin?.();
  }

  /**
   * Puts in force what the primary process says. Requests are decided by the limits before until it resolves.
   *
   * @returns the number of the state that is in force then.
   */
  take(state: LimitsState): Promise<number> {
    return this.#changes.run(async () => {
      if (state.number > this.#state.number) await this.#follow(state);
      return this.#state.number;
    });
  }

  async #follow(state: LimitsState): Promise<void> {
    const isSameFile = state.version === this.#state.version;
    const file = isSameFile ? this.#file : await pull(this.#lead, state.version);
    // A later state is on its way.
    if (file === undefined) return;
    const isSame = isSameFile && JSON.stringify(state.overrides) === JSON.stringify(this.#state.overrides);
    if (!isSame) await this.#install(withOverrides(file, state.overrides));
    this.#file = file;
    this.#state = state;
  }
}

async function pull(lead: LimitsLead, version: string): Promise<LimitsFile | undefined> {
  const joined = new JoinedPieces();
  for (let index = 0; ; index += 1) {
    const piece = await lead.piece(version, index);
    if (piece === undefined || piece.type === "mistakes") return undefined;
    const file = joined.add(piece);
    if (file !== undefined) {
      // The primary process has checked it; what came is a copy.
      const value = trustLimitsFile(file);
      rememberVersion(value, version);
      return value;
    }
    // Requests are served in between.
    await new Promise((resolve) => void setImmediate(resolve));
  }
}
