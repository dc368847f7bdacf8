import type { Denied } from "../core/decision.ts";
import type { Asked } from "./asked.ts";
import type { HeaderList } from "./header-list.ts";
import type { RequestPlaces } from "./request-places.ts";
import type { Settlement } from "./settlement.ts";

/** The handler answers. */
export interface Pass {
  readonly pass: true;
  /** `undefined` if the request was not counted. */
  readonly asked: Asked | undefined;
  /** Headers for the handler's response. */
  readonly headers: HeaderList;
  /** If the handler or its response tell what the request has cost. */
  readonly settlement: Settlement | undefined;
  /** If the request took places, which its adapter holds until the response has ended. */
  readonly places: RequestPlaces | undefined;
}

/** A response in the handler's place. */
export interface DenialResponse {
  readonly pass: false;
  readonly asked: Asked | undefined;
  /** `undefined` if no limiter denied: the address filter did, or a failure. */
  readonly decision: Denied | undefined;
  /** Headers for the response, also when `onDenied` answers. */
  readonly headers: HeaderList;
  readonly content: ResponseContent;
}

/** What the gate decides about a request. */
export type Verdict = Pass | DenialResponse;

/** What a denial response consists of, except its `HeaderList`. */
export interface ResponseContent {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const JSON_TYPE = "application/json; charset=utf-8";

export function jsonContent(status: number, body: unknown, contentType: string = JSON_TYPE): ResponseContent {
  return { status, contentType, body: JSON.stringify(body) };
}

/** When the limiter failed. It tells clients nothing of the cause. */
export const FAILURE: ResponseContent = jsonContent(500, { error: "internal server error" });

/** When the limiter failed, and `onError` is `"deny"`. */
export function unavailable(status: number): ResponseContent {
  return jsonContent(status, { error: "service unavailable" });
}

/** For clients that have gone, which never get it: logs find the status that nginx gives to such requests. */
export const DEPARTED: ResponseContent = jsonContent(499, { error: "client has gone" });

/** For clients on the deny list. */
export const FORBIDDEN: ResponseContent = jsonContent(403, { error: "forbidden" });
