/** Whether a limiter decides at once, or when its store or a look-up has answered. */
export type Kind = "sync" | "async";

/** The result of a verb over a synchronous or an asynchronous store. */
export type Result<K extends Kind, T> = K extends "sync" ? T : Promise<T>;
