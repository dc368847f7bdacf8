import { useState } from "preact/hooks";
import type { StoreRow } from "../snapshot.ts";
import { Chart } from "./chart.tsx";
import { KeyList, limitedIn } from "./keys.tsx";
import { LimitTable } from "./limits.tsx";
import { bytes, count, milliseconds, Notice, rate, Table } from "./text.tsx";
import type { Shown } from "./view.ts";

/** The points of a range, and how many seconds a row of its tables stands for. */
const RANGES = { "5 minutes": [300, 1], "1 hour": [3_600, 10] } as const;

export function Overview(shown: Shown) {
  const { view, point } = shown;
  const { processes, stores } = view;
  const { admitted, denied, shadow, degraded, p50Ms, p99Ms } = point;
  const limited = limitedIn(view).length;
  const facts: Readonly<Record<string, string>> = {
    "Admitted/s": rate(admitted),
    "Denied/s": rate(denied),
    "In shadow/s": rate(shadow),
    ...(degraded > 0 && { "Without a store/s": rate(degraded) }),
    p50: milliseconds(p50Ms),
    p99: milliseconds(p99Ms),
    Processes: `${processes.ready} of ${processes.of}`,
  };
  return (
    <>
      <h1 class={limited > 0 ? "limited" : ""}>
        {limited === 1 ? "1 key is limited now" : `${limited === 0 ? "No" : limited} keys are limited now`}
      </h1>
      <Problems view={view} />
      {limited > 0 && <KeyList view={view} list="Limited now" />}
      <section>
        <dl>
          {Object.entries(facts).map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
      <Charts view={view} />
      <LimitTable {...shown} />
      <Table caption="Stores" columns={STORES} rows={stores} id={({ name }) => name} empty="No store yet." />
    </>
  );
}

function Problems({ view: { stores, processes } }: Pick<Shown, "view">) {
  const problems = stores.flatMap(({ name, server = "up" }) => {
    if (server === "up") return [];
    if (server === "bypass") return [`The store ${name} is bypassed by its kill switch: its limits deny nothing.`];
    return [`The store ${name} is ${server === "down" ? "down" : "tried again"}: its failure policy decides.`];
  });
  if (processes.ready < processes.of)
    problems.push(`${processes.of - processes.ready} of ${processes.of} processes are not ready.`);
  return problems.map((problem) => <Notice key={problem}>{problem}</Notice>);
}

function Charts({ view }: Pick<Shown, "view">) {
  const [range, setRange] = useState<keyof typeof RANGES>("5 minutes");
  const [seconds, every] = RANGES[range];
  const shared = { points: view.points.slice(-seconds), every };
  return (
    <>
      <p class="actions">
        {(Object.keys(RANGES) as (keyof typeof RANGES)[]).map((name) => (
          <button key={name} type="button" aria-pressed={name === range} onClick={() => setRange(name)}>
            {name}
          </button>
        ))}
      </p>
      <div class="side">
        <Chart
          {...shared}
          title="Calls per second"
          show={rate}
          lines={[
            ["admitted", "", ({ admitted }) => admitted],
            ["denied", "limited", ({ denied }) => denied],
            ["shadow", "quiet", ({ shadow }) => shadow],
          ]}
        />
        <Chart
          {...shared}
          title="Duration of decisions"
          show={milliseconds}
          lines={[
            ["p50", "", ({ p50Ms }) => p50Ms],
            ["p99", "quiet", ({ p99Ms }) => p99Ms],
          ]}
        />
      </div>
    </>
  );
}

const optional = (number: number | undefined, show = count): string => (number === undefined ? "" : show(number));
const STORES = {
  Store: ({ name }: StoreRow) => name,
  State: ({ server }: StoreRow) => <span class={server === "up" ? "" : "limited"}>{server}</span>,
  Keys: ({ keys }: StoreRow) => optional(keys),
  "At most": ({ maxKeys }: StoreRow) => optional(maxKeys),
  Size: ({ bytes: size }: StoreRow) => optional(size, bytes),
  "Without a slot": ({ overflowed }: StoreRow) => optional(overflowed),
  Blocked: ({ blocked }: StoreRow) => optional(blocked),
};
