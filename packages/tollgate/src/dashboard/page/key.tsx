import { useEffect, useRef, useState } from "preact/hooks";
import { type KeyBar, type KeyDetail, type NamedKey, ROUTES } from "../snapshot.ts";
import { Action, For } from "./action.tsx";
import { messageOf, post } from "./connection.ts";
import { count, duration, Notice, Table, Text, Time, Until } from "./text.tsx";
import type { Shown } from "./view.ts";

/** A key: what it has used, when it passes again, its last decisions, and what can be done. */
export function KeyScreen({ view, say, named }: Shown & { readonly named: NamedKey }) {
  const [detail, setDetail] = useState<KeyDetail>();
  const [problem, setProblem] = useState("");
  const [cost, setCost] = useState(1);
  const [changes, setChanges] = useState(0);
  const second = view.snapshot.point.atMs;
  const route = view.welcome.keys === "shown" ? `${ROUTES.key}?keys=shown` : ROUTES.key;
  const isAsking = useRef(false);
  // It is read again each second, and after each change.
  useEffect(() => {
    if (isAsking.current) return;
    isAsking.current = true;
    post<KeyDetail>(route, { ...named, cost })
      .then(setDetail)
      .then(
        () => setProblem(""),
        (error: unknown) => setProblem(messageOf(error)),
      )
      .finally(() => {
        isAsking.current = false;
      });
  }, [second, cost, changes]);
  const done = (text: string): void => {
    say(text);
    setChanges(changes + 1);
  };
  return (
    <>
      <p>
        <a href="#/keys">All keys</a>
      </p>
      {problem !== "" && <Notice>{problem}</Notice>}
      {detail === undefined ? (
        <h1>Key</h1>
      ) : (
        <>
          <h1>
            <Text text={detail.key} whole />
          </h1>
          <Verdict detail={detail} setCost={setCost} />
          <section>
            <h2>
              Limits of <Text text={detail.limiter} />
            </h2>
            {detail.limits.length === 0 && <p class="quiet">No limit counts this key.</p>}
            {detail.limits.map((bar) => (
              <Bar key={bar.name} bar={bar} />
            ))}
          </section>
          {view.welcome.access === "write" && <Actions detail={detail} named={named} done={done} />}
          <section>
            <Decisions detail={detail} />
          </section>
        </>
      )}
    </>
  );
}

function Verdict({ detail, setCost }: { readonly detail: KeyDetail; readonly setCost: (cost: number) => void }) {
  const { allowed, retryAfterMs, blockedUntilMs } = detail;
  return (
    <section>
      {blockedUntilMs !== null && (
        <p class="limited">
          Blocked, ends <Until ms={blockedUntilMs} />
        </p>
      )}
      <form onSubmit={(event) => event.preventDefault()}>
        <label>
          Would this cost pass?
          <input
            type="number"
            min="0"
            step="any"
            defaultValue="1"
            onInput={({ currentTarget: { value, valueAsNumber, validity } }) =>
              validity.valid && value !== "" && setCost(valueAsNumber)
            }
          />
        </label>
        <output class={allowed ? "" : "limited"}>
          {allowed
            ? "It passes now."
            : retryAfterMs === null
              ? "It never passes."
              : `It passes in ${duration(retryAfterMs)}.`}
        </output>
      </form>
    </section>
  );
}

function Bar({ bar }: { readonly bar: KeyBar }) {
  const { name, unit, capacity, used, resetMs, allowed, mode } = bar;
  return (
    <div class={allowed || mode === "shadow" ? "" : "limited"}>
      <b>
        <Text text={name} />
      </b>
      {mode === "shadow" && " in shadow"}
      <progress aria-label={name} max={capacity} value={Math.min(used, capacity)} />
      {count(used)} of {count(capacity)} {unit} used
      {resetMs !== null && resetMs > 0 && <span class="quiet">, all free in {duration(resetMs)}</span>}
    </div>
  );
}

interface Acting {
  readonly detail: KeyDetail;
  readonly named: NamedKey;
  readonly done: (text: string) => void;
}

function Actions({ detail, named, done }: Acting) {
  return (
    <section class="actions" aria-label="Actions">
      <Action label="Reset" title="Reset" of={detail.key} request={() => ({ action: "reset", ...named })} say={done}>
        <p>The limiter forgets what the key has used. A block stays.</p>
      </Action>
      {detail.blockedUntilMs === null ? (
        <Action
          label="Block"
          title="Block"
          of={detail.key}
          request={(field) => {
            const reason = field("reason");
            return { action: "block", for: field("for"), ...(reason === "" ? {} : { reason }), ...named };
          }}
          say={done}
        >
          <For />
          <label>
            Reason, which denials show
            <input name="reason" autocomplete="off" maxLength={200} />
          </label>
        </Action>
      ) : (
        <Action
          label="Unblock"
          title="Unblock"
          of={detail.key}
          request={() => ({ action: "unblock", ...named })}
          say={done}
        >
          <p>The key is limited as before its block.</p>
        </Action>
      )}
    </section>
  );
}

function Decisions({ detail: { decisions, watchedSinceMs } }: { readonly detail: KeyDetail }) {
  return (
    <>
      <Table
        caption="Last decisions"
        columns={["Time", "Decision", "Limit", "Told to wait"]}
        rows={decisions.map(({ atMs, allowed, reason = "", limit = "", retryAfterMs }, i) => ({
          id: `${atMs} ${i}`,
          cells: [
            <Time ms={atMs} />,
            allowed ? "admitted" : <span class="limited">denied: {reason}</span>,
            <Text text={limit} none="" />,
            allowed ? "" : retryAfterMs === null ? "never" : duration(retryAfterMs),
          ],
        }))}
        empty="No decision yet."
      />
      <p class="quiet">
        These are all decisions since <Time ms={watchedSinceMs} />; of those before, denials only.
      </p>
    </>
  );
}
