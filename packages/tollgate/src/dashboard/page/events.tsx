import { KeyLink } from "./keys.tsx";
import { clock, Table, Text } from "./text.tsx";
import type { Shown } from "./view.ts";

export function Events({ view: { events } }: Shown) {
  return (
    <>
      <h1>Events</h1>
      <section>
        <Table
          caption="Latest events"
          columns={{
            Time: ({ atMs }) => clock(atMs),
            What: ({ text }) => <Text text={text} />,
            Limiter: ({ limiter = "" }) => <Text text={limiter} none="" />,
            Key: ({ limiter = "", key = "", keyId: id }) => id !== undefined && <KeyLink row={{ limiter, id, key }} />,
            By: ({ who }) => who,
          }}
          rows={events}
          id={({ id }) => String(id)}
          empty="Nothing has happened yet."
        />
      </section>
    </>
  );
}
