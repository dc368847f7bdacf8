/** Adds the listeners that tell of a client's lost connections, and returns what removes them. */
export type ListenToClient = (lost: () => void) => () => void;

/** One store's wish to be told. */
interface Subscription {
  readonly listener: () => void;
}

interface Subscribers {
  readonly all: Set<Subscription>;
  readonly removeFromClient: () => void;
}

/**
 * By client, of all stores: each would add listeners of its own, and Node warns of a leak from the eleventh on. A client keeps its
 * entry alive, not the other way round.
 */
const SUBSCRIBERS = new WeakMap<object, Subscribers>();

/**
 * Tells a listener when the client loses a connection. However many stores use a client, it has one set of listeners: the first store
 * adds them, the last to stop removes them.
 *
 * @returns what stops it; to call that again does nothing.
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
  const all = new Set<Subscription>();
  const removeFromClient = listen(() => {
    for (const { listener } of all) listener();
  });
  const subscribers = { all, removeFromClient };
  SUBSCRIBERS.set(client, subscribers);
  return subscribers;
}
