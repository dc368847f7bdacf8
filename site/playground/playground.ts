import { computed, defineComponent, h, type Ref, ref, type VNode } from "vue";
import { copyButton } from "../copy-button.ts";
import { chart } from "./chart.ts";
import { type Playback, usePlayback } from "./playback.ts";
import { arrivalsOf, PRESETS, readStamps } from "./presets.ts";
import { ALGORITHMS, type Algorithm, codeOf, durationOf, MOST_ARRIVALS, MOST_UNITS, WINDOWS } from "./state.ts";
import type { Lane } from "./timeline.ts";

/** The same arrivals under three algorithms, decided by the library itself. */
export const Playground = defineComponent(() => {
  const playback = usePlayback();
  const algorithm = ref<Algorithm>("token bucket");
  const unreadable = ref(0);
  const code = computed(() => codeOf(algorithm.value, playback.state.value));
  return () =>
    h("main", { class: "tool" }, [
      h("h1", "Playground"),
      h("p", "The same calls of one client under three limits. The library itself decides, in this page."),
      sliders(playback),
      buttons(playback),
      presets(playback, unreadable),
      h("p", { role: "status" }, summary(playback)),
      ...playback.lanes.value.map((lane) => laneView(lane, playback)),
      h(
        "p",
        "The line has the units left; thin lines are edges of windows. A bar is an admitted call, a cross a denied one. " +
          "The solid line is now; at the dashed one the next call passes.",
      ),
      h("h2", "The code"),
      h("div", { class: "row", role: "radiogroup", "aria-label": "Algorithm" }, [
        ...ALGORITHMS.map((one) => choice(one, algorithm.value === one, () => (algorithm.value = one))),
      ]),
      h("pre", { tabindex: 0, class: "code" }, code.value),
      h("div", { class: "row" }, [
        copyButton("Copy the code", () => code.value),
        copyButton("Copy a link to this", () => location.href),
      ]),
    ]);
});

function choice(label: Algorithm, checked: boolean, onChange: () => void): VNode {
  return h("label", [h("input", { type: "radio", name: "algorithm", checked, onChange }), ` ${label}`]);
}

function sliders({ state, change }: Playback): VNode {
  const { limit, windowSeconds, burst } = state.value;
  const slider = (label: string, shown: string, value: number, most: number, onValue: (value: number) => void) =>
    h("label", { class: "slider" }, [
      h("span", [`${label}: `, h("b", shown)]),
      h("input", {
        type: "range",
        min: most === MOST_UNITS ? 1 : 0,
        max: most,
        value,
        "aria-valuetext": shown,
        onInput: (event: Event) => onValue(Number((event.target as HTMLInputElement).value)),
      }),
    ]);
  const at = WINDOWS.findIndex((window) => window >= windowSeconds);
  return h("div", { class: "row" }, [
    slider("Limit", `${limit}`, limit, MOST_UNITS, (value) => change({ limit: value })),
    slider("Window", durationOf(windowSeconds), at, WINDOWS.length - 1, (value) =>
      change({ windowSeconds: WINDOWS[value] ?? windowSeconds }),
    ),
    slider("Burst of the bucket", `${burst}`, burst, MOST_UNITS, (value) => change({ burst: value })),
  ]);
}

function buttons({ state, isRunning, isHeld, send, change }: Playback): VNode {
  const press = () => {
    if (isHeld.value) return;
    isHeld.value = true;
    send(1);
  };
  const release = () => {
    isHeld.value = false;
  };
  const key = (act: () => void) => (event: KeyboardEvent) => {
    if (event.key === " " || event.key === "Enter") act();
  };
  const hold = {
    onPointerdown: press,
    onPointerup: release,
    onPointerleave: release,
    onPointercancel: release,
    onKeydown: key(press),
    onKeyup: key(release),
    onBlur: release,
  };
  const button = (label: string, onClick: () => void) => h("button", { type: "button", onClick }, label);
  return h("div", { class: "row" }, [
    button("Send a call", () => send(1)),
    h("button", { type: "button", ...hold }, "Hold to send 10 a second"),
    button("Burst", () => send(state.value.burst)),
    button(isRunning.value ? "Pause" : "Let time pass", () => {
      isRunning.value = !isRunning.value;
    }),
    button("Clear", () => change({ arrivals: [] })),
  ]);
}

function presets({ state, change }: Playback, unreadable: Ref<number>): VNode {
  const ready = PRESETS.map(([name, preset]) => h("button", { type: "button", onClick: () => change(preset) }, name));
  const paste = (event: Event) => {
    const stamps = readStamps((event.target as HTMLTextAreaElement).value);
    unreadable.value = stamps.unreadable;
    change({ arrivals: arrivalsOf(stamps.momentsMs, state.value.windowSeconds) });
  };
  return h("div", { class: "row" }, [
    ...ready,
    h("details", [
      h("summary", "Stamps of a log"),
      h("label", [
        "Lines of an access log, in ISO 8601, or seconds since the epoch: ",
        h("textarea", { rows: 5, cols: 60, onInput: paste }),
      ]),
      unreadable.value === 0 ? "" : `${unreadable.value} lines have no stamp that the page can read.`,
    ]),
  ]);
}

function summary({ state, lanes, speed }: Playback): string {
  const { arrivals } = state.value;
  const counts = lanes.value.map(({ algorithm, admittedCount }) => `${algorithm} ${admittedCount}`).join(", ");
  const full = arrivals.length === MOST_ARRIVALS ? " No more calls fit into a link." : "";
  const fast = speed.value > 1 ? ` Time passes ${Math.round(speed.value * 10) / 10} times as fast.` : "";
  return `Of ${arrivals.length} calls each limit admits: ${counts}.${full}${fast}`;
}

function laneView(lane: Lane, { state, nowMs }: Playback): VNode {
  const next = lane.nextPassMs(nowMs.value);
  const passes = next > nowMs.value ? `the next call passes at ${seconds(next)}` : "a call passes now";
  const { arrivals } = state.value;
  const facts = { "data-lane": lane.algorithm, "data-admitted": lane.admittedCount, "data-next": next };
  return h("section", facts, [
    h("h2", lane.algorithm),
    h(
      "p",
      `${lane.admittedCount} of ${arrivals.length} admitted, ${lane.remainingAt(nowMs.value)} of ${lane.capacity} left ` +
        `at ${(nowMs.value / 1_000).toFixed(1)} s, ${passes}`,
    ),
    chart(lane, state.value, nowMs.value),
  ]);
}

/** Seconds to the microsecond, without zeros at the end. */
function seconds(ms: number): string {
  return `${Number((ms / 1_000).toFixed(6))} s`;
}
