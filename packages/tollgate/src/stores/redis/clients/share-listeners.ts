/** Adds listeners for a client's lost connections, and returns a function that removes them. */
export type ListenToClient = (lost: () => void) => () => void;

interface Subscribers {
  /** Objects, because several stores may pass the same function. */
  readonly all: Set<{ readonly listener: () => void }>;
  readonly removeFromClient: () => void;
}

/**
 * The subscribers of all stores, by client. Node warns of a leak from the eleventh listener on, so stores share
 * theirs. The entry does not keep the client alive.
 */
const SUBSCRIBERS = new WeakMap<object, Subscribers>();

/**
 * Notifies a listener when the client loses a connection. All stores of a client share one set of listeners: the first
 * store adds them, the last one removes them.
 *
 * @returns an idempotent function that removes the listener.
 */
export function shareListeners(client: object, listen: ListenToClient, listener: () => void): () => void {
  const subscribers = SUBSCRIBERS.get(client) ?? addTo(client, listen);
  const subscription = { listener };
  subscribers.all.add(subscription);
  return () => {
    if (!subscribers.all.delete(subscription) || subscribers.all.size > 0) return;
    SUBSCRIBERS.delete(client);
    subscribers.removeFromClient();
  };
}

function addTo(client: object, listen: ListenToClient): Subscribers {
  const all: Subscribers["all"] = new Set();
  const removeFromClient = listen(() => {
    for (const { listener } of all) listener();
  });
  const subscribers = { all, removeFromClient };
  SUBSCRIBERS.set(client, subscribers);
  return subscribers;
}
