import { defineComponent, h, ref, type VNode } from "vue";

const CopyButton = defineComponent(
  ({ label, text }: { label: string; text: () => string }) => {
    const said = ref("");
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text());
        said.value = "Copied";
      } catch {
        said.value = "The browser refused";
      }
    };
    return () => [
      h("button", { type: "button", onClick: () => void copy() }, label),
      h("span", { role: "status" }, said.value),
    ];
  },
  { props: ["label", "text"] },
);

/** A button that copies a text and says so. */
export function copyButton(label: string, text: () => string): VNode {
  return h(CopyButton, { label, text });
}
