import type { LimitRow } from "../snapshot.ts";
import { Action, For } from "./action.tsx";
import { rate, Table, Text, Until } from "./text.tsx";
import type { Shown } from "./view.ts";

/** As many as the server lists. */
const MOST_LIMITS = 200;

/** The limits with their numbers, their mode and their rates; with the means to change the mode if `isOperated`. */
export function LimitTable({ view, say, isOperated = false }: Shown & { readonly isOperated?: boolean }) {
  const { limits } = view.snapshot;
  return (
    <section>
      <Table
        caption="Limits"
        columns={{
          Limit: ({ limiter, limit }: LimitRow) => (
            <>
              <Text text={limiter} /> <small>{limit}</small>
            </>
          ),
          Numbers: ({ numbers }) => numbers,
          Mode: ({ mode, override }) =>
            override === undefined ? (
              mode
            ) : (
              <b>
                {override.mode} by {override.by}, ends <Until ms={override.untilMs} />
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
      />
      {limits.length === MOST_LIMITS && <p class="quiet">These are the busiest limits. There may be more.</p>}
    </section>
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
  const { welcome, snapshot } = shown.view;
  const { file } = snapshot;
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
      <LimitTable {...shown} isOperated={file !== undefined && welcome.access === "write"} />
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
