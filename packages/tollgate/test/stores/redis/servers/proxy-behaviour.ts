/** What a proxy does with what its clients ask and with what the server replies. */
export interface ProxyBehaviour {
  readonly requests: "passed" | "kept";
  /** `"cut"`: the reply to the next request is not passed, and the connection is reset in its place. */
  readonly replies: "passed" | "kept" | "cut";
  readonly requestDelayMs: number;
  readonly replyDelayMs: number;
  /** For `"cut"`: how a request is recognized whose reply is meant; any is by `""`. */
  readonly containing: string;
}

export const PASSING: ProxyBehaviour = {
  requests: "passed",
  replies: "passed",
  requestDelayMs: 0,
  replyDelayMs: 0,
  containing: "",
};
