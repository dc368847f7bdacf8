export { type HotKey, type HotKeys, type HotKeysOptions, hotKeys } from "./hot-keys/hot-keys.ts";
