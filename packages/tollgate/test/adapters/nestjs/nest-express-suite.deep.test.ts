import { describeAdapter } from "../suite/describe-adapter.ts";
import { OVER_EXPRESS } from "./nest-harness.ts";

describeAdapter(OVER_EXPRESS);
