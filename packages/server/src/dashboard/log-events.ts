import type { SourceEvent } from "tollgate/dashboard";
import type { Log, LogEntry } from "../log/log.ts";

/** What the dashboard has of the log's lines. */
const KINDS: Readonly<Record<string, SourceEvent["kind"]>> = {
  "limits-loaded": "limits",
  "limits-refused": "limits",
  "worker-died": "process",
  "worker-started": "process",
  "worker-failed": "process",
  "workers-silent": "process",
};
const MOST_EVENTS = 100;
const MOST_MISTAKES = 20;

/** The lines of a log that operators look for, and the mistakes of limits files. */
export class LogEvents {
  #events: SourceEvent[] = [];
  #mistakes: readonly string[] = [];

  /** A log that is followed. */
  follow(log: Log): Log {
    return (entry) => {
      this.#note(entry);
      log(entry);
    };
  }

  /** Those of the files that were refused last. */
  get mistakes(): readonly string[] {
    return this.#mistakes;
  }

  /** Those since the last call. */
  take(): readonly SourceEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #note({ event, text, fields = {} }: LogEntry): void {
    if (event === "limits-loaded" || event === "limits-refused") this.#mistakes = [];
    if (event === "limits-mistake") this.#mistakes = [...this.#mistakes, text ?? ""].slice(0, MOST_MISTAKES);
    const told = event === "audit" ? auditEvent(fields) : plainEvent(event, text, fields);
    if (told !== undefined && this.#events.push(told) > MOST_EVENTS) this.#events.shift();
  }
}

function plainEvent(event: string, text: string | undefined, fields: NonNullable<LogEntry["fields"]>) {
  const kind = KINDS[event];
  const parts = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
  return kind && { kind, text: text ?? `${event}: ${parts.join(", ")}` };
}

function auditEvent(fields: NonNullable<LogEntry["fields"]>): SourceEvent {
  const { who, action, domain, rule, key, until, mode, reason } = fields;
  const parts = [
    action,
    key,
    mode,
    until !== undefined && `until ${until}`,
    reason !== undefined && reason !== "" && `(${reason})`,
  ];
  const text = parts.filter((part) => part !== undefined && part !== false && part !== "").join(" ");
  const of = domain !== undefined && rule !== undefined ? { limiter: `${domain}/${rule}` } : {};
  return { kind: "change", text, who: String(who), ...of };
}
