import type { Channel } from "node:diagnostics_channel";

/** On the channel itself, so that the copies of the library for `import` and for `require` watch it once. */
const FOLLOWERS: unique symbol = Symbol.for("tollgate.channel-followers") as never;

interface WatchedChannel extends Channel {
  [FOLLOWERS]?: Set<() => void>;
}

/**
 * Calls `begin` when a channel gets its first subscriber, and what `begin` returned when it loses its last one. Returns
 * a function that ends both.
 */
export function followSubscribers(channel: Channel, begin: () => () => void): () => void {
  let end: (() => void) | undefined;
  const update = (): void => {
    if (channel.hasSubscribers === (end !== undefined)) return;
    if (end === undefined) {
      end = begin();
      return;
    }
    end();
    end = undefined;
  };
  const followers = followersOf(channel);
  followers.add(update);
  update();
  return () => {
    followers.delete(update);
    end?.();
    end = undefined;
  };
}

function followersOf(channel: WatchedChannel): Set<() => void> {
  const known = channel[FOLLOWERS];
  if (known !== undefined) return known;
  const followers = new Set<() => void>();
  channel[FOLLOWERS] = followers;
  watch(channel, () => {
    for (const update of [...followers]) update();
  });
  return followers;
}

/**
 * Node tells no channel's owner of its subscribers, so the channel gets methods of its own that do. They call those of
 * the prototype as it is then: Node replaces it when the first subscriber comes and when the last one goes.
 */
function watch(channel: Channel, changed: () => void): void {
  for (const name of ["subscribe", "unsubscribe"] as const) {
    Object.defineProperty(channel, name, {
      configurable: true,
      writable: true,
      value: (...args: Parameters<Channel[typeof name]>): unknown => {
        const method: unknown = Reflect.get(Object.getPrototypeOf(channel), name);
        const result: unknown = Reflect.apply(method as () => unknown, channel, args);
        changed();
        return result;
      },
    });
  }
}
