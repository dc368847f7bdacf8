export type { MeasuringOptions } from "../readings/measuring.ts";
export { instrument, type OtelOptions } from "./instrument.ts";
