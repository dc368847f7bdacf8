import type { OwnerAnswer, OwnerRequest } from "../owned/messages.ts";

/** A message of a worker. Without calls it asks whether there is a primary. */
export interface Request extends OwnerRequest {
  readonly id: number;
  /** When the worker decides without the primary, by the clock of the primary's process. */
  readonly dueMs: number;
}

/** A message of the primary. */
export interface Answer extends OwnerAnswer {
  readonly client: string;
  readonly id: number;
  /** The clock of the primary's process, as the answer was sent. */
  readonly nowMs: number;
}

/** In the form in which PM2 passes messages on, of which its bus shows `data` alone. Without PM2 it does no harm. */
export function seal(topic: string, data: Request | Answer): object {
  return { type: "process:msg", topic, data: { ...data, topic } };
}

/** What a message of this topic has; `undefined` for the messages of the application. */
export function contentOf(topic: string, message: unknown): unknown {
  const { data } = Object(message) as { readonly data?: unknown };
  const { topic: own } = Object(data) as { readonly topic?: unknown };
  return own === topic ? data : undefined;
}
