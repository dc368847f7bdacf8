import { type ComputedRef, computed, onBeforeUnmount, onMounted, type Ref, ref, shallowRef } from "vue";
import { decodeState, encodeState, FIRST, MOST_ARRIVALS, type State } from "./state.ts";
import { type Lane, spanMs, timelines } from "./timeline.ts";

/** What the playground shows, and what its buttons do. Time passes while it runs. */
export interface Playback {
  readonly state: Ref<State>;
  readonly nowMs: Ref<number>;
  readonly isRunning: Ref<boolean>;
  readonly isHeld: Ref<boolean>;
  readonly lanes: ComputedRef<readonly Lane[]>;
  /** Milliseconds that pass in one of the user's. */
  readonly speed: ComputedRef<number>;
  send(count: number): void;
  /** Shows other numbers, or other arrivals and the moment of the last one. */
  change(change: Partial<State>): void;
}

const HELD_EVERY_MS = 100;
const CALM_MS = 500;
const LINK_AFTER_MS = 300;

export function usePlayback(): Playback {
  const state = shallowRef<State>(FIRST);
  const nowMs = ref(0);
  const isRunning = ref(false);
  const isHeld = ref(false);
  const lanes = computed(() => timelines(state.value));
  // A window takes ten seconds at most.
  const speed = computed(() => Math.max(1, state.value.windowSeconds / 10));
  let linkTimer: ReturnType<typeof setTimeout> | undefined;
  let frame: (() => void) | undefined;

  const set = (next: State) => {
    state.value = next;
    // Browsers allow few changes of the address a second.
    clearTimeout(linkTimer);
    linkTimer = setTimeout(() => history.replaceState(history.state, "", `#${encodeState(next)}`), LINK_AFTER_MS);
  };
  const send = (count: number) => {
    const at = Math.round(nowMs.value);
    const arrivals = [...state.value.arrivals, ...Array.from({ length: count }, () => at)];
    set({ ...state.value, arrivals: arrivals.slice(0, MOST_ARRIVALS) });
    // An arrival at a rounded moment may be later by half a millisecond.
    nowMs.value = Math.max(nowMs.value, at);
    isRunning.value = true;
  };
  const show = (next: State) => {
    state.value = next;
    isRunning.value = false;
    nowMs.value = next.arrivals.at(-1) ?? 0;
  };
  const change = (changed: Partial<State>) => {
    const next = { ...state.value, ...changed };
    if (changed.arrivals !== undefined) show(next);
    set(next);
  };

  onMounted(() => {
    show(decodeState(location.hash));
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    let shownAt = performance.now();
    let heldMs = 0;
    const tick = () => {
      const at = performance.now();
      const passedMs = Math.min(at - shownAt, 2 * CALM_MS);
      shownAt = at;
      if (isRunning.value) {
        nowMs.value = Math.min(nowMs.value + passedMs * speed.value, spanMs(state.value));
        heldMs = isHeld.value ? heldMs + passedMs : 0;
        for (; heldMs >= HELD_EVERY_MS; heldMs -= HELD_EVERY_MS) send(1);
        if (nowMs.value >= spanMs(state.value)) isRunning.value = false;
      }
      next();
    };
    const next = () => {
      const id = calm.matches ? setTimeout(tick, CALM_MS) : requestAnimationFrame(tick);
      frame = () => (calm.matches ? clearTimeout(id) : cancelAnimationFrame(id as number));
    };
    next();
    const follow = () => show(decodeState(location.hash));
    addEventListener("hashchange", follow);
    onBeforeUnmount(() => removeEventListener("hashchange", follow));
  });
  onBeforeUnmount(() => {
    frame?.();
    clearTimeout(linkTimer);
  });
  return { state, nowMs, isRunning, isHeld, lanes, speed, send, change };
}
