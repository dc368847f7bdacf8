import { useEffect, useRef, useState } from "preact/hooks";
import { type KeyDecision, type KeyDetail, type KeyStatus, type NamedKey, ROUTES } from "../snapshot.ts";
import { Action, For } from "./action.tsx";
import { messageOf, post, withKeys } from "./connection.ts";
import { clock, count, duration, Notice, Table, Text, Until } from "./text.tsx";
import type { Shown } from "./view.ts";

/** A key: what it has used, when it passes again, its last decisions, and what can be done. */
export function KeyScreen({ view, say, areKeysShown, named }: Shown & { readonly named: NamedKey }) {
  const [detail, setDetail] = useState<KeyDetail>();
  const [problem, setProblem] = useState("");
  const [cost, setCost] = useState(1);
  const isAsking = useRef(false);
  // It is read again with each snapshot.
  useEffect(() => {
    if (isAsking.current) return;
    isAsking.current = true;
    const ask = async (): Promise<void> => {
      try {
        setDetail(await post<KeyDetail>(withKeys(ROUTES.key, areKeysShown), { ...named, cost }));
        setProblem("");
      } catch (error) {
        setProblem(messageOf(error));
      }
      isAsking.current = false;
    };
    void ask();
  }, [view, cost]);
  return (
    <>
      <p>
        <a href="#/keys">All keys</a>
      </p>
      {problem !== "" && <Notice>{problem}</Notice>}
      {detail !== undefined && (
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
            {detail.limits.map((status) => (
              <Bar key={status.name} status={status} />
            ))}
          </section>
          {view.access === "write" && <Actions detail={detail} named={named} say={say} />}
          <Table
            caption="Last decisions"
            columns={DECISIONS}
            rows={detail.decisions}
            id={({ atMs }, i) => `${atMs} ${i}`}
            empty="No decision yet."
          >
            Calls that were admitted are listed since the key was opened here.
          </Table>
        </>
      )}
    </>
  );
}

function Verdict({ detail, setCost }: { readonly detail: KeyDetail; readonly setCost: (cost: number) => void }) {
  const { allowed, retryAfterMs, blockedUntilMs } = detail;
  const verdict = retryAfterMs === null ? "It never passes." : `It passes in ${duration(retryAfterMs)}.`;
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
            defaultValue="1"
            onInput={({ currentTarget: { value, validity } }) => validity.valid && setCost(Number(value))}
          />
        </label>
        <output class={allowed ? "" : "limited"}>{allowed ? "It passes now." : verdict}</output>
      </form>
    </section>
  );
}

function Bar({ status: { name, unit, capacity, used, resetMs, allowed, mode } }: { readonly status: KeyStatus }) {
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

interface Acting extends Pick<Shown, "say"> {
  readonly detail: KeyDetail;
  readonly named: NamedKey;
}

function Actions({ detail: { key, blockedUntilMs }, named, say }: Acting) {
  return (
    <section class="actions" aria-label="Actions">
      <Action label="Reset" of={key} request={{ action: "reset", ...named }} say={say}>
        <p>The limiter forgets what the key has used. A block stays.</p>
      </Action>
      {blockedUntilMs === null ? (
        <Action label="Block" of={key} request={{ action: "block", ...named }} say={say}>
          <For />
          <label>
            Reason, which denials show
            <input name="reason" autocomplete="off" maxLength={100} />
          </label>
        </Action>
      ) : (
        <Action label="Unblock" of={key} request={{ action: "unblock", ...named }} say={say}>
          <p>The key is limited as before its block.</p>
        </Action>
      )}
    </section>
  );
}

const DECISIONS = {
  Time: ({ atMs }: KeyDecision) => clock(atMs),
  Decision: ({ allowed, reason = "" }: KeyDecision) =>
    allowed ? "admitted" : <span class="limited">denied: {reason}</span>,
  Limit: ({ limit = "" }: KeyDecision) => <Text text={limit} none="" />,
  "Told to wait": ({ allowed, retryAfterMs }: KeyDecision) =>
    allowed ? "" : retryAfterMs === null ? "never" : duration(retryAfterMs),
};
