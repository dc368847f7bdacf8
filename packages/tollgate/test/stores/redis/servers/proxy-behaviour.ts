/** How a proxy handles requests and replies. */
export interface ProxyBehaviour {
  readonly requests: "passed" | "kept";
  /** With `"cut"` the connection is reset in place of the reply to the next request. */
  readonly replies: "passed" | "kept" | "cut";
  readonly requestDelayMs: number;
  readonly replyDelayMs: number;
  /** For `"cut"`: a text that the request has to contain; `""` matches any. */
  readonly containing: string;
}

export const PASSING: ProxyBehaviour = {
  requests: "passed",
  replies: "passed",
  requestDelayMs: 0,
  replyDelayMs: 0,
  containing: "",
};
