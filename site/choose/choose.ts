import { withBase } from "vitepress";
import { computed, defineComponent, h, onMounted, ref, type VNode } from "vue";
import { copyButton } from "../copy-button.ts";
import { encodeState } from "../playground/state.ts";
import { canFail, NUMBERS, programOf } from "./program.ts";
import { ALWAYS_THERE, type Answers, QUESTIONS } from "./questions.ts";

type Name = keyof Answers;
const NAMES = Object.keys(QUESTIONS) as Name[];
const FIRST: Answers = { protects: "api", client: "address", bursts: "yes", processes: "one", outage: "allow" };

/** The answers of a question, without the types that tell the questions apart. */
function answersOf(name: Name): Readonly<Record<string, readonly [label: string, reason: string]>> {
  return QUESTIONS[name].answers;
}

/** Five questions, and the program that answers them, with a reason for each choice. */
export const Choose = defineComponent(() => {
  const answers = ref<Answers>(FIRST);
  const program = computed(() => programOf(answers.value));
  const set = (name: Name, answer: string) => {
    answers.value = { ...answers.value, [name]: answer };
    history.replaceState(history.state, "", `#${new URLSearchParams({ ...answers.value })}`);
  };
  onMounted(() => {
    const parts = new URLSearchParams(location.hash.slice(1));
    const known = NAMES.map((name) => [name, parts.get(name) ?? ""]).filter(([name, answer]) =>
      Object.hasOwn(answersOf(name as Name), answer as string),
    );
    answers.value = { ...FIRST, ...(Object.fromEntries(known) as Partial<Answers>) };
  });
  return () =>
    h("main", { class: "tool" }, [
      h("h1", "Choose your limit"),
      ...NAMES.map((name, index) => question(name, index + 1, answers.value, set)),
      h("h2", "Your program"),
      h("pre", { tabindex: 0, class: "code" }, program.value),
      h("div", { class: "row" }, [
        copyButton("Copy the program", () => program.value),
        h("a", { class: "button", href: playgroundLink(answers.value) }, "Open in the playground"),
      ]),
      h("h2", "Because"),
      h("div", { role: "status" }, [h("ul", [...NAMES.map((name) => h("li", reasonOf(name, answers.value)))])]),
    ]);
});

function question(name: Name, number: number, answers: Answers, set: (name: Name, answer: string) => void): VNode {
  const disabled = name === "outage" && !canFail(answers);
  const choice = ([answer, [label]]: [string, readonly [string, string]]) => {
    const checked = answers[name] === answer;
    const input = h("input", { type: "radio", name, value: answer, checked, onChange: () => set(name, answer) });
    return h("label", [input, ` ${label}`]);
  };
  return h("fieldset", { disabled }, [
    h("legend", `${number}. ${QUESTIONS[name].text}`),
    h("div", { class: "row" }, Object.entries(answersOf(name)).map(choice)),
  ]);
}

function reasonOf(name: Name, answers: Answers): string {
  if (name === "outage" && !canFail(answers)) return ALWAYS_THERE;
  return answersOf(name)[answers[name]]?.[1] ?? "";
}

/** The limit of requests in the playground, with a double burst at the edge of a window. */
export function playgroundLink({ protects }: Answers): string {
  const { limit, windowSeconds, burst } = NUMBERS[protects];
  const edgeMs = windowSeconds * 1_000;
  const arrivals = [edgeMs * 0.99, edgeMs * 1.01].flatMap((at) => Array.from({ length: burst }, () => Math.round(at)));
  return withBase(`/playground.html#${encodeState({ limit, windowSeconds, burst, arrivals })}`);
}
