import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { defineAsyncComponent } from "vue";
import "./style.css";

const site: Theme = {
  extends: theme,
  // Pages name these as their layout. Pages without them do not load them.
  enhanceApp({ app }) {
    app.component(
      "playground",
      defineAsyncComponent(async () => (await import("../../playground/playground.ts")).Playground),
    );
    app.component(
      "choose",
      defineAsyncComponent(async () => (await import("../../choose/choose.ts")).Choose),
    );
  },
};

export default site;
