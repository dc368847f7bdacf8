import { KeyLink } from "./keys.tsx";
import { clock, Table, Text } from "./text.tsx";
import type { Shown } from "./view.ts";

export function Events({ view: { events } }: Shown) {
  return (
    <>
      <h1>Events</h1>
      <Table
        caption="Latest events"
        columns={{
          Time: ({ atMs }) => clock(atMs),
          What: ({ text }) => <Text text={text} />,
          Limiter: ({ key, limiter = key?.limiter ?? "" }) => <Text text={limiter} none="" />,
          Key: ({ key }) => key && <KeyLink row={key} />,
          By: ({ who }) => who,
        }}
        rows={events.toReversed()}
        id={({ id }) => String(id)}
        empty="Nothing has happened yet."
      />
    </>
  );
}
