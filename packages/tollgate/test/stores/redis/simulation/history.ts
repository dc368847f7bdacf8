/** Something that a fleet did or saw. */
interface Noted {
  /** By the server's order: the number of the command that did it, or between two numbers. */
  order: number;
  atUs: number;
  /** When the call was made. */
  readonly calledUs: number;
  /** Whether a reply of the server says so. Otherwise it may have been done at any time since. */
  byServer: boolean;
}

/** A call that was decided. */
export interface Take extends Noted {
  readonly kind: "take";
  /** The limits under which it was made, by the place of their version. */
  readonly version: number;
  /** What it costs, one entry per limit. */
  readonly units: readonly number[];
  readonly allowed: boolean;
  /** When its units leave, by its receipt. */
  readonly untilUs: readonly number[];
}

/** Units of a take were given back. */
export interface Refund extends Noted {
  readonly kind: "refund";
  readonly of: Take;
  readonly units: readonly number[];
}

/** The key was forgotten: by a caller, or because the server lost its data. */
export interface Forgotten extends Noted {
  readonly kind: "reset" | "loss";
}

/** What the server says is used, after all nodes have given back what they held. */
export interface Audit extends Noted {
  readonly kind: "audit";
  readonly used: readonly number[];
  /** Units of the first limit that ended unspent at their nodes. */
  readonly expired: number;
}

/** What cannot be right, whatever happened. */
export interface Fault extends Noted {
  readonly kind: "fault";
  readonly text: string;
}

export type Entry = Take | Refund | Forgotten | Audit | Fault;

/** An entry before it is noted when it was. */
export type Facts<E extends Entry = Entry> = E extends Entry
  ? Omit<E, keyof Noted> & Partial<Pick<E, "calledUs">>
  : never;
