import type { KeyRow, NamedKey, ShownKey, Snapshot } from "../snapshot.ts";
import { fieldsOf } from "./action.tsx";
import { type Columns, count, Table, Text, Until } from "./text.tsx";
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

const calls = ({ calls: number = 0 }: KeyRow) => count(number);
const until = ({ untilMs }: KeyRow) => <Until ms={untilMs} />;

interface List {
  readonly of: (view: Snapshot) => readonly KeyRow[];
  readonly columns: Columns<KeyRow>;
  readonly empty: string;
}

/** The lists of keys by their captions, as their screen and the overview show them. */
const LISTS: Readonly<Record<string, List>> = {
  "Limited now": {
    of: limitedIn,
    columns: { Denials: ({ denials = 0 }) => <span class="limited">{count(denials)}</span>, "Passes again": until },
    empty: "No key is limited.",
  },
  "Closest to their limit": {
    of: ({ keys }) => most(keys, "used").filter(({ untilMs, used = 0 }) => untilMs === undefined && used > 0),
    columns: { Used: ({ used = 0 }) => `${count(100 * used)} %`, Calls: calls },
    empty: "No key has used anything.",
  },
  "Most calls": {
    of: ({ keys }) => most(keys, "calls").filter((row) => row.calls !== undefined),
    columns: { Calls: calls },
    empty: "No calls yet.",
  },
  Blocked: {
    of: ({ blocked }) => blocked ?? [],
    columns: { Ends: until, Reason: ({ reason = "" }) => <Text text={reason} none="" /> },
    empty: "No key is blocked.",
  },
};

function most(rows: readonly KeyRow[], by: "used" | "calls" | "denials"): readonly KeyRow[] {
  return rows.toSorted((a, b) => (b[by] ?? 0) - (a[by] ?? 0));
}

/** The keys that are denied or blocked now. */
export function limitedIn({ keys }: Snapshot): readonly KeyRow[] {
  return most(keys, "denials").filter(({ untilMs }) => untilMs !== undefined);
}

export function KeyList({ view, list }: { readonly view: Snapshot; readonly list: keyof typeof LISTS }) {
  const { of, columns, empty } = LISTS[list]!;
  const cannotList = list === "Blocked" && view.blocked === null;
  return (
    <Table
      caption={list}
      columns={{
        Key: (row) => <KeyLink row={row} />,
        Limiter: ({ limiter }) => <Text text={limiter} />,
        ...columns,
      }}
      rows={of(view)}
      id={({ limiter, id }) => JSON.stringify([limiter, id])}
      empty={cannotList ? "The store cannot list blocked keys." : empty}
    />
  );
}

export function Keys({ view, areKeysShown, showKeys }: Shown) {
  return (
    <>
      <h1>Keys</h1>
      <section>
        <Search limiters={[...new Set(view.limits.map(({ limiter }) => limiter))].sort()} />
        {view.access === "write" ? (
          <label class="check">
            <input type="checkbox" checked={areKeysShown} onChange={(event) => showKeys(event.currentTarget.checked)} />
            Show keys as they are
          </label>
        ) : (
          <p class="quiet">Keys are masked, because this session may only look.</p>
        )}
      </section>
      <div class="side">
        {Object.keys(LISTS).map((list) => (
          <KeyList key={list} view={view} list={list} />
        ))}
      </div>
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
