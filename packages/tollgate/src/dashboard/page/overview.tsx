import { useState } from "preact/hooks";
import type { Snapshot, StoreRow } from "../snapshot.ts";
import { Chart } from "./chart.tsx";
import { KeyList } from "./keys.tsx";
import { LimitTable } from "./limits.tsx";
import { bytes, count, milliseconds, Notice, rate, Table } from "./text.tsx";
import type { Shown, View } from "./view.ts";

const RANGES = { seconds: "5 minutes", hour: "1 hour" } as const;
const MOST_LIMITED = 6;
/** As many as the server lists. */
const MOST_LISTED = 20;

export function Overview(shown: Shown) {
  const { view } = shown;
  const { point, keys, processes } = view.snapshot;
  const limited = keys.limited.length;
  const facts: readonly (readonly [name: string, text: string, isLimited?: boolean])[] = [
    ["Admitted/s", rate(point.admitted)],
    ["Denied/s", rate(point.denied), point.denied > 0],
    ["In shadow/s", rate(point.shadow)],
    ...(point.degraded > 0 ? ([["Without a store/s", rate(point.degraded), true]] as const) : []),
    ["p50", milliseconds(point.p50Ms)],
    ["p99", milliseconds(point.p99Ms)],
    ["Processes", `${processes.ready} of ${processes.of}`],
  ];
  return (
    <>
      <h1 class={limited > 0 ? "limited" : ""}>{titleOf(limited)}</h1>
      <Problems snapshot={view.snapshot} />
      {limited > 0 && (
        <section>
          <KeyList view={view} list="limited" most={MOST_LIMITED} />
          {limited > MOST_LIMITED && <a href="#/keys">All limited keys</a>}
        </section>
      )}
      <section>
        <dl>
          {facts.map(([name, text, isLimited = false]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class={isLimited ? "limited" : ""}>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
      <Charts view={view} />
      <section>
        <LimitTable {...shown} />
      </section>
      <section>
        <Stores stores={view.snapshot.stores} />
      </section>
    </>
  );
}

function titleOf(limited: number): string {
  if (limited === 0) return "No key is limited now";
  if (limited === 1) return "1 key is limited now";
  return `${limited}${limited < MOST_LISTED ? "" : " or more"} keys are limited now`;
}

function Problems({ snapshot: { stores, processes } }: { readonly snapshot: Snapshot }) {
  const problems = stores.flatMap(({ name, server }) => {
    if (server === "down" || server === "probing")
      return [`The store ${name} is ${server === "down" ? "down" : "tried again"}: its failure policy decides.`];
    return server === "bypass" ? [`The store ${name} is bypassed by its kill switch: its limits deny nothing.`] : [];
  });
  if (processes.ready < processes.of)
    problems.push(`${processes.of - processes.ready} of ${processes.of} processes are not ready.`);
  return problems.map((problem) => <Notice key={problem}>{problem}</Notice>);
}

function Charts({ view }: { readonly view: View }) {
  const [range, setRange] = useState<keyof typeof RANGES>("seconds");
  const points = view[range];
  const times = points.map(({ atMs }) => atMs / 1_000);
  return (
    <>
      <p class="actions">
        {(Object.keys(RANGES) as (keyof typeof RANGES)[]).map((name) => (
          <button key={name} type="button" aria-pressed={name === range} onClick={() => setRange(name)}>
            {RANGES[name]}
          </button>
        ))}
      </p>
      <div class="side">
        <Chart
          title="Calls per second"
          times={times}
          show={(value) => rate(value ?? 0)}
          lines={[
            { name: "admitted", color: "text", values: points.map(({ admitted }) => admitted) },
            { name: "denied", color: "accent", values: points.map(({ denied }) => denied) },
            { name: "shadow", color: "accent", isDashed: true, values: points.map(({ shadow }) => shadow) },
          ]}
        />
        <Chart
          title="Duration of decisions"
          times={times}
          show={milliseconds}
          lines={[
            { name: "p50", color: "text", values: points.map(({ p50Ms }) => p50Ms) },
            { name: "p99", color: "quiet", isDashed: true, values: points.map(({ p99Ms }) => p99Ms) },
          ]}
        />
      </div>
    </>
  );
}

function Stores({ stores }: { readonly stores: readonly StoreRow[] }) {
  const shown = (number: number | undefined, show: (number: number) => string): string =>
    number === undefined ? "" : show(number);
  return (
    <Table
      caption="Stores"
      columns={["Store", "State", "Keys", "At most", "Size", "Without a slot", "Blocked"]}
      rows={stores.map(({ name, server = "", keys, maxKeys, bytes: size, overflowed, blocked }) => ({
        id: name,
        cells: [
          name,
          <span class={server === "up" ? "" : "limited"}>{server}</span>,
          shown(keys, count),
          shown(maxKeys, count),
          shown(size, bytes),
          <span class={(overflowed ?? 0) > 0 ? "limited" : ""}>{shown(overflowed, count)}</span>,
          shown(blocked, count),
        ],
      }))}
      empty="No store yet."
    />
  );
}
