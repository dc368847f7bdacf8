import { type Limits, type LimitsFile, trustLimitsFile } from "tollgate/config";
import { ChangeQueue } from "./change-queue.ts";
import type { LimitsState } from "./limits-state.ts";

/** The limits of a worker, which are those of the primary process: it reads the files and answers operators. */
export class FollowedLimits {
  readonly #changes = new ChangeQueue();
  #state: LimitsState;
  /** Puts limits in force. */
  #install: (effective: LimitsFile) => Promise<void> = async () => {};
  #begin: (() => void) | undefined;

  constructor(state: LimitsState) {
    this.#state = state;
    // While the worker starts, changes wait.
    const begun = new Promise<void>((resolve) => {
      this.#begin = resolve;
    });
    void this.#changes.run(() => begun);
  }

  get state(): LimitsState {
    return this.#state;
  }

  /** The limits with overrides. */
  get effective(): LimitsFile {
    return effectiveOf(this.#state);
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
      if (state.number > this.#state.number) {
        if (state.effective !== this.#state.effective) await this.#install(effectiveOf(state));
        this.#state = state;
      }
      return this.#state.number;
    });
  }
}

/** The primary process has checked the limits. */
function effectiveOf({ effective }: LimitsState): LimitsFile {
  return trustLimitsFile(JSON.parse(effective) as LimitsFile);
}
