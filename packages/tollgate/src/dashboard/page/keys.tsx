import { useState } from "preact/hooks";
import type { KeyRow, NamedKey, ShownKey, Snapshot } from "../snapshot.ts";
import { fieldsOf } from "./action.tsx";
import { Choice, type Columns, count, namesOf, optional, Table, Text, Until } from "./text.tsx";
import type { Shown } from "./view.ts";

const hashOf = (key: NamedKey): string => `#/key/${encodeURIComponent(JSON.stringify(key))}`;

/** Leads to the detail of a key. */
export function KeyLink({ row: { limiter, id, key } }: { readonly row: ShownKey }) {
  return (
    <a href={hashOf({ limiter, id })}>
      <Text text={key} />
    </a>
  );
}

const COLUMNS: Columns<KeyRow> = {
  Key: (row) => <KeyLink row={row} />,
  Limiter: ({ limiter }) => <Text text={limiter} />,
  Used: ({ used }) => optional(used, (part) => `${count(100 * part)} %`),
  Calls: ({ calls }) => optional(calls),
  Denials: ({ denials }) => <span class="limited">{optional(denials)}</span>,
  "Passes again": ({ untilMs }) => <Until ms={untilMs} />,
  Block: ({ reason }) => reason !== undefined && <Text text={reason} none="without a reason" />,
};

/** What comes first in the list. Equal keys stay as the server has them: limited ones, then those closest to it. */
const ORDERS = {
  "Limited now, or closest": () => 0,
  "Most calls": ({ calls = 0 }: KeyRow) => calls,
  "Most denials": ({ denials = 0 }: KeyRow) => denials,
  Blocked: ({ reason }: KeyRow) => (reason === undefined ? 0 : 1),
};

/** The keys that are denied or blocked now. */
export function limitedIn({ keys }: Snapshot): readonly KeyRow[] {
  return keys.filter(({ untilMs }) => untilMs !== undefined);
}

export function KeyTable({ caption, rows, listsBlocked }: Pick<Snapshot, "listsBlocked"> & KeyRows) {
  return (
    <Table
      caption={caption}
      columns={COLUMNS}
      rows={rows}
      id={({ limiter, id }) => JSON.stringify([limiter, id])}
      empty="No key has been called yet."
    >
      {!listsBlocked && "The store cannot list blocked keys."}
    </Table>
  );
}

interface KeyRows {
  readonly caption: string;
  readonly rows: readonly KeyRow[];
}

export function Keys({ view: { access, limits, keys, listsBlocked }, areKeysShown, showKeys }: Shown) {
  const [order, setOrder] = useState<keyof typeof ORDERS>("Limited now, or closest");
  const rankOf = ORDERS[order];
  const rows = keys.toSorted((one, other) => rankOf(other) - rankOf(one));
  return (
    <>
      <h1>Keys</h1>
      <section>
        <Search limiters={[...new Set(limits.map(({ limiter }) => limiter))].sort()} />
        {access === "write" ? (
          <label class="check">
            <input type="checkbox" checked={areKeysShown} onChange={(event) => showKeys(event.currentTarget.checked)} />
            Show keys as they are
          </label>
        ) : (
          <p class="quiet">Keys are masked, because this session may only look.</p>
        )}
      </section>
      <Choice names={namesOf(ORDERS)} chosen={order} choose={setOrder} />
      <KeyTable caption="Called, denied or blocked most" rows={rows} listsBlocked={listsBlocked} />
    </>
  );
}

function Search({ limiters }: { readonly limiters: readonly string[] }) {
  return (
    <form
      onSubmit={(event) => {
        const { limiter = "", key = "" } = fieldsOf(event);
        location.hash = hashOf({ limiter, key: listOf(key) ?? key });
      }}
    >
      <label>
        Limiter
        <select name="limiter">
          {limiters.map((limiter) => (
            <option key={limiter}>{limiter}</option>
          ))}
        </select>
      </label>
      <label>
        Exact key; several facts as a list: ["192.0.2.1", "GET"]
        <input name="key" autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">Look up</button>
    </form>
  );
}

function listOf(text: string): readonly string[] | undefined {
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
