import type { LimitRow } from "../snapshot.ts";
import { Action, For } from "./action.tsx";
import { rate, Table, Text, Until } from "./text.tsx";
import type { Shown } from "./view.ts";

/** As many as the server lists. */
const MOST_LIMITS = 200;

/** The limits with their numbers, their mode and their rates, and with the means to change the mode. */
export function LimitTable({ view: { limits, file, access }, say }: Shown) {
  const isOperated = file !== undefined && access === "write";
  return (
    <Table
      caption="Limits"
      columns={{
        Limit: ({ limiter, limit }: LimitRow) => (
          <>
            <Text text={limiter} /> <small>{limit}</small>
          </>
        ),
        Numbers: ({ numbers }) => numbers,
        Mode: ({ mode, override: by }) =>
          by === undefined ? (
            mode
          ) : (
            <b>
              {by.mode} by {by.by}, ends <Until ms={by.untilMs} />
            </b>
          ),
        "Admitted/s": ({ admitted }) => rate(admitted),
        "Denied/s": ({ denied }) => <span class={denied > 0 ? "limited" : ""}>{rate(denied)}</span>,
        "Shadow/s": ({ shadow }) => rate(shadow),
        ...(isOperated && { "": (row: LimitRow) => <ModeActions row={row} say={say} /> }),
      }}
      rows={limits}
      id={({ limiter, limit }) => JSON.stringify([limiter, limit])}
      empty="No limiter has been called yet."
    >
      {limits.length === MOST_LIMITS && "These are the busiest limits. There may be more."}
    </Table>
  );
}

function ModeActions({ row: { limiter, override }, say }: Pick<Shown, "say"> & { readonly row: LimitRow }) {
  return (
    <span class="actions">
      <Action label="Change" of={limiter} request={{ limiter }} say={say}>
        <label>
          Mode
          <select name="action">
            <option value="shadow">shadow: counts, and denies nothing</option>
            <option value="off">off: neither counts nor denies</option>
            <option value="on">on: counts and denies</option>
          </select>
        </label>
        <For />
      </Action>
      {override !== undefined && (
        <Action label="Restore" of={limiter} request={{ action: "restore", limiter }} say={say}>
          <p>Its own mode holds again at once.</p>
        </Action>
      )}
    </span>
  );
}

export function Limits(shown: Shown) {
  const { file } = shown.view;
  return (
    <>
      <h1>Limits</h1>
      {file === undefined ? (
        <p class="quiet">Modes are those of the program, which alone can change them.</p>
      ) : (
        <p>
          {file.source === "files" ? "Limits of the files" : "Limits that an operator has put in place of the files"},
          version <code>{file.version}</code>, in force since {new Date(file.sinceMs).toLocaleString("en-GB")}.
        </p>
      )}
      <LimitTable {...shown} />
    </>
  );
}
