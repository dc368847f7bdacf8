import type { LimitRow, OverrideMode } from "../snapshot.ts";
import { Action, For } from "./action.tsx";
import { count, rate, Table, Text, Until } from "./text.tsx";
import type { Shown } from "./view.ts";

/** The limits with their numbers, their mode and their rates; with the means to change the mode if `isOperated`. */
export function LimitTable({ view, say, isOperated = false }: Shown & { readonly isOperated?: boolean }) {
  const { limits, limitsTotal } = view.snapshot;
  const columns = ["Limit", "Numbers", "Mode", "Admitted/s", "Denied/s", "Shadow/s"];
  return (
    <>
      <Table
        caption="Limits"
        columns={isOperated ? [...columns, ""] : columns}
        rows={limits.map((row) => ({
          id: JSON.stringify([row.limiter, row.limit]),
          cells: [
            <>
              <Text text={row.limiter} /> <small>{row.limit}</small>
            </>,
            row.numbers,
            <Mode row={row} />,
            rate(row.admitted),
            <span class={row.denied > 0 ? "limited" : ""}>{rate(row.denied)}</span>,
            rate(row.shadow),
            ...(isOperated ? [<ModeActions row={row} say={say} />] : []),
          ],
        }))}
        empty="No limiter has been called yet."
      />
      {limitsTotal > limits.length && (
        <p class="quiet">
          The {count(limits.length)} busiest of {count(limitsTotal)} limits.
        </p>
      )}
    </>
  );
}

function Mode({ row: { mode, override } }: { readonly row: LimitRow }) {
  if (override === undefined) return mode;
  return (
    <b>
      {override.mode} by {override.by}, ends <Until ms={override.untilMs} />
    </b>
  );
}

function ModeActions({ row: { limiter, override }, say }: Pick<Shown, "say"> & { readonly row: LimitRow }) {
  return (
    <span class="actions">
      <Action
        label="Change"
        title="Change the mode of"
        of={limiter}
        request={(field) => ({
          action: field("mode") as OverrideMode,
          limiter,
          for: field("for"),
        })}
        say={say}
      >
        <label>
          Mode
          <select name="mode">
            <option value="shadow">shadow: counts, and denies nothing</option>
            <option value="off">off: neither counts nor denies</option>
            <option value="on">on: counts and denies</option>
          </select>
        </label>
        <For />
      </Action>
      {override !== undefined && (
        <Action label="Restore" title="Restore" of={limiter} request={() => ({ action: "restore", limiter })} say={say}>
          <p>Its own mode holds again at once.</p>
        </Action>
      )}
    </span>
  );
}

export function Limits({ view, ...shown }: Shown) {
  const { welcome, snapshot } = view;
  const { file } = snapshot;
  return (
    <>
      <h1>Limits</h1>
      {file !== undefined && (
        <section>
          {file.source === "files" ? "Limits of the files" : "Limits that an operator has put in place of the files"},
          version <code>{file.version}</code>, in force since {new Date(file.sinceMs).toLocaleString("en-GB")}.
        </section>
      )}
      <section>
        <LimitTable view={view} {...shown} isOperated={welcome.overridable && welcome.access === "write"} />
        {!welcome.overridable && <p class="quiet">Modes are those of the program, which alone can change them.</p>}
        {welcome.overridable && welcome.access === "read" && (
          <p class="quiet">This session may only look: it changes no mode.</p>
        )}
      </section>
    </>
  );
}

/** Mistakes of the limits files, wherever the operator looks. */
export function Mistakes({ view: { snapshot } }: Pick<Shown, "view">) {
  const { state, mistakes = [] } = snapshot.file ?? {};
  if (mistakes.length === 0 && state !== "kept") return null;
  return (
    <div class="notice">
      The limits files have mistakes. The limits before them are in force.
      <ul>
        {mistakes.map((mistake) => (
          <li key={mistake}>
            <Text text={mistake} whole />
          </li>
        ))}
      </ul>
    </div>
  );
}
