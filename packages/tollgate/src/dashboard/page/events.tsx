import { useState } from "preact/hooks";
import type { DashboardEvent } from "../snapshot.ts";
import { KeyLink } from "./keys.tsx";
import { Table, Text, Time } from "./text.tsx";
import type { Shown } from "./view.ts";

const KINDS: Readonly<Record<DashboardEvent["kind"], string>> = {
  denial: "Denials",
  block: "Blocks",
  circuit: "Stores",
  limits: "Limits",
  change: "Changes",
  process: "Processes",
};

export function Events({ view: { events } }: Shown) {
  const [kind, setKind] = useState<string>("");
  return (
    <>
      <h1>Events</h1>
      <section>
        <label>
          Show
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
            <option value="">all</option>
            {Object.entries(KINDS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <Table
          caption="Latest events"
          columns={["Time", "What", "Limiter", "Key", "By"]}
          rows={events
            .filter((event) => kind === "" || event.kind === kind)
            .map(({ id, atMs, text, limiter = "", key, keyId, who = "" }) => ({
              id: String(id),
              cells: [
                <Time ms={atMs} />,
                <Text text={text} none="" />,
                <Text text={limiter} none="" />,
                key !== undefined && keyId !== undefined ? (
                  <KeyLink row={{ limiter, id: keyId, key }} />
                ) : (
                  <Text text={key ?? ""} none="" />
                ),
                who,
              ],
            }))}
          empty="Nothing has happened yet."
        />
      </section>
    </>
  );
}
