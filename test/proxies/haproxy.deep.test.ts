import { describeProxy } from "./proxy-suite.ts";

describeProxy("haproxy");
