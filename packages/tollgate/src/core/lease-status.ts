/**
 * Why a node asks the server call by call:
 *
 * - `"not leased"`: the limit cannot be leased, such as a sliding window, a limit on concurrency or a shadow limit.
 * - `"small capacity"`, `"fast refill"`: leases of so few units, or for such a short time, would save no call.
 * - `"another limit"`: one of these is true of another limit of the list.
 * - `"long key"`: this node keeps nothing of a key of more than 256 characters.
 * - `"little demand"`: this node has few calls for the key.
 * - `"too many nodes"`: the capacity is too small for the nodes that use the key. The node tries again later.
 */
export type StrictReason =
  | "not leased"
  | "small capacity"
  | "fast refill"
  | "another limit"
  | "long key"
  | "little demand"
  | "too many nodes";

/** Where a limit of a key stands at this node of a hybrid store. */
export type LeaseStatus =
  | {
      readonly how: "leased";
      /** Units that this node may spend without asking. */
      readonly held: number;
      /** Milliseconds until the last of these units can no longer be spent; 0 if the node holds nothing. */
      readonly endsInMs: number;
    }
  | { readonly how: "strict"; readonly why: StrictReason };
