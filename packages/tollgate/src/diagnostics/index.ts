export { type DiagnosticsMessages, publish } from "./publish.ts";
