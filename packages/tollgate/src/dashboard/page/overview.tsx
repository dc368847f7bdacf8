import { useState } from "preact/hooks";
import type { Point, StoreRow } from "../snapshot.ts";
import { Chart } from "./chart.tsx";
import { KeyTable, limitedIn } from "./keys.tsx";
import { LimitTable } from "./limits.tsx";
import { bytes, Choice, clock, milliseconds, namesOf, optional, rate, Table } from "./text.tsx";
import type { Shown } from "./view.ts";

/** The points of a range, and how many seconds a row of its tables stands for. */
const RANGES = { "5 minutes": [300, 1], "1 hour": [3_600, 10] } as const;

export function Overview(shown: Shown) {
  const { view, point } = shown;
  const limited = limitedIn(view);
  return (
    <>
      <h1 class={limited.length > 0 ? "limited" : ""}>
        {limited.length === 1
          ? "1 key is limited now"
          : `${limited.length === 0 ? "No" : limited.length} keys are limited now`}
      </h1>
      {limited.length > 0 && <KeyTable caption="Limited now" rows={limited} listsBlocked={view.listsBlocked} />}
      <Table caption="The last second" columns={POINT} rows={[point]} id={() => ""} empty="" />
      <Charts view={view} />
      <LimitTable {...shown} />
      <Table caption="Stores" columns={STORES} rows={view.stores} id={({ name }) => name} empty="No store yet.">
        {view.processes.ready} of {view.processes.of} processes
      </Table>
    </>
  );
}

function Charts({ view }: Pick<Shown, "view">) {
  const [range, setRange] = useState<keyof typeof RANGES>("5 minutes");
  const [seconds, every] = RANGES[range];
  const shared = { points: view.points.slice(-seconds), every };
  return (
    <>
      <Choice names={namesOf(RANGES)} chosen={range} choose={setRange} />
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

const POINT = {
  Time: ({ atMs }: Point) => clock(atMs),
  "Admitted/s": ({ admitted }: Point) => rate(admitted),
  "Denied/s": ({ denied }: Point) => rate(denied),
  "Shadow/s": ({ shadow }: Point) => rate(shadow),
  "Without a store/s": ({ degraded }: Point) => rate(degraded),
  p50: ({ p50Ms }: Point) => milliseconds(p50Ms),
  p99: ({ p99Ms }: Point) => milliseconds(p99Ms),
};
const STORES = {
  Store: ({ name }: StoreRow) => name,
  State: ({ server }: StoreRow) => <span class={server === "up" ? "" : "limited"}>{server}</span>,
  Keys: ({ keys }: StoreRow) => optional(keys),
  "At most": ({ maxKeys }: StoreRow) => optional(maxKeys),
  Size: ({ bytes: size }: StoreRow) => optional(size, bytes),
  "Without a slot": ({ overflowed }: StoreRow) => optional(overflowed),
  Blocked: ({ blocked }: StoreRow) => optional(blocked),
};
