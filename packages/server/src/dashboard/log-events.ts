import type { SourceEvent } from "tollgate/dashboard";
import type { Log, LogEntry } from "../log/log.ts";

/** What the dashboard has of the log's lines. Changes are those of the audit log. */
const SHOWN = ["limits-loaded", "limits-refused", "worker-died", "worker-started", "worker-failed", "workers-silent"];
const MOST_EVENTS = 100;
const MOST_MISTAKES = 20;

/** The lines of a log that operators look for, and the mistakes of limits files. */
export class LogEvents {
  readonly #events: SourceEvent[] = [];
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
    return this.#events.splice(0);
  }

  #note(entry: LogEntry): void {
    const { event, text = "" } = entry;
    if (event === "limits-loaded" || event === "limits-refused") this.#mistakes = [];
    if (event === "limits-mistake") this.#mistakes = [...this.#mistakes, text].slice(0, MOST_MISTAKES);
    const isShown = event === "audit" || SHOWN.includes(event);
    if (isShown && this.#events.push(eventOf(entry)) > MOST_EVENTS) this.#events.shift();
  }
}

function eventOf({ event, text, fields = {} }: LogEntry): SourceEvent {
  if (event !== "audit") {
    const parts = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
    return { text: text ?? `${event}: ${parts.join(", ")}` };
  }
  const { who, action, domain, rule, key, until, reason } = fields;
  const parts = [action, key, until === undefined ? "" : `until ${until}`, reason === undefined ? "" : `(${reason})`];
  const of = domain !== undefined && rule !== undefined ? { limiter: `${domain}/${rule}` } : {};
  return { text: parts.filter(Boolean).join(" "), who: String(who), ...of };
}
