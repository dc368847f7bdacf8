import type { ComponentChildren } from "preact";
import type { KeyRow, NamedKey } from "../snapshot.ts";
import { fieldsOf } from "./action.tsx";
import { count, percent, Table, Text, Until } from "./text.tsx";
import type { Shown, View } from "./view.ts";

const hashOf = (key: NamedKey): string => `#/key/${encodeURIComponent(JSON.stringify(key))}`;

/** The key of a detail's address; `undefined` for a link that was cut. */
export function keyOfHash(text: string): NamedKey | undefined {
  try {
    return JSON.parse(decodeURIComponent(text)) as NamedKey;
  } catch {
    return undefined;
  }
}

/** Leads to the detail of a key. */
export function KeyLink({ row }: { readonly row: Pick<KeyRow, "limiter" | "id" | "key"> }) {
  return (
    <a href={hashOf({ limiter: row.limiter, id: row.id })}>
      <Text text={row.key} />
    </a>
  );
}

type Column = readonly [name: string, show: (row: KeyRow) => ComponentChildren];

const CALLS: Column = ["Calls", (row) => count(row.count ?? 0)];
const DENIALS: Column = ["Denials", (row) => <span class="limited">{count(row.count ?? 0)}</span>];
const USED: Column = ["Used", (row) => percent(row.used ?? 0)];
const UNTIL: Column = ["Passes again", ({ untilMs }) => <Until ms={untilMs} />];
const ENDS: Column = ["Ends", ({ untilMs }) => <Until ms={untilMs} />];
const REASON: Column = ["Reason", ({ reason = "" }) => <Text text={reason} none="" />];

/** The lists of keys, as their screen and the overview show them. */
const LISTS = {
  limited: { caption: "Limited now", columns: [DENIALS, UNTIL], empty: "No key is limited." },
  closest: { caption: "Closest to their limit", columns: [USED, CALLS], empty: "No key has used anything." },
  active: { caption: "Most calls", columns: [CALLS], empty: "No calls yet." },
  blocked: { caption: "Blocked", columns: [ENDS, REASON], empty: "No key is blocked." },
} satisfies Record<string, { caption: string; columns: readonly Column[]; empty: string }>;

type List = keyof typeof LISTS;

export function KeyList({ view, list, most }: { readonly view: View; readonly list: List; readonly most?: number }) {
  const { caption, columns, empty } = LISTS[list];
  const rows = view.snapshot.keys[list];
  return (
    <Table
      caption={caption}
      columns={["Key", "Limiter", ...columns.map(([name]) => name)]}
      rows={(rows ?? []).slice(0, most).map((row) => ({
        id: JSON.stringify([row.limiter, row.id]),
        cells: [<KeyLink row={row} />, <Text text={row.limiter} />, ...columns.map(([, show]) => show(row))],
      }))}
      empty={rows === null ? "The store cannot list blocked keys." : empty}
    />
  );
}

export function Keys({ view, showKeys }: Shown) {
  const { access, keys } = view.welcome;
  return (
    <>
      <h1>Keys</h1>
      <section>
        <Search limiters={[...new Set(view.snapshot.limits.map(({ limiter }) => limiter))].sort()} />
        {access === "write" ? (
          <label class="check">
            <input
              type="checkbox"
              checked={keys === "shown"}
              onChange={(event) => showKeys(event.currentTarget.checked)}
            />
            Show keys as they are
          </label>
        ) : (
          <p class="quiet">Keys are masked, because this session may only look.</p>
        )}
      </section>
      <div class="side">
        {(Object.keys(LISTS) as List[]).map((list) => (
          <section key={list}>
            <KeyList view={view} list={list} />
          </section>
        ))}
      </div>
    </>
  );
}

function Search({ limiters }: { readonly limiters: readonly string[] }) {
  return (
    <form
      onSubmit={(event) => {
        const field = fieldsOf(event);
        const key = field("key");
        location.hash = hashOf({ limiter: field("limiter"), key: listOf(key) ?? key });
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
    return Array.isArray(list) && list.every((fact) => typeof fact === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}
