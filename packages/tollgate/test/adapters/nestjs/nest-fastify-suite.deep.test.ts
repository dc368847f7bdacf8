import { describeAdapter } from "../suite/describe-adapter.ts";
import { OVER_FASTIFY } from "./nest-harness.ts";

describeAdapter(OVER_FASTIFY);
