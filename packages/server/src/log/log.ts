export type LogLevel = "info" | "warn" | "error";

export type LogFormat = "text" | "json";

/** What the log says once. */
export interface LogEntry {
  readonly level: LogLevel;
  /** A short name, such as `sweep`, by which programs find the entry. */
  readonly event: string;
  /** The sentence for people. Without it, the event and its fields are the sentence. */
  readonly text?: string;
  readonly fields?: Readonly<Record<string, string | number | undefined>>;
}

export type Log = (entry: LogEntry) => void;

/** Where lines go. */
export interface LogOutput {
  readonly out: (line: string) => void;
  /** Entries of the level `error`. */
  readonly error: (line: string) => void;
}

/** A log of one line an entry. */
export function openLog(format: LogFormat, output: LogOutput, now: () => Date = () => new Date()): Log {
  const lineOf = format === "json" ? (entry: LogEntry) => jsonLine(entry, now()) : textLine;
  return (entry) => (entry.level === "error" ? output.error : output.out)(lineOf(entry));
}

function jsonLine(entry: LogEntry, time: Date): string {
  const { level, event, fields } = entry;
  const line = JSON.stringify({ time: time.toISOString(), level, event, msg: textLine(entry), ...fields });
  return line.replaceAll(UNESCAPED, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Controls and line ends that JSON leaves as they are. Terminals obey some of them. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029]/g;

function textLine({ event, text, fields = {} }: LogEntry): string {
  if (text !== undefined) return oneLine(text);
  const parts = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return oneLine([event, ...parts].join(" "));
}

/** What clients send may contain line ends. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}
