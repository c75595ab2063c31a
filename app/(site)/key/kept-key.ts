import { useSyncExternalStore } from "react";

/** Where the key is kept: until the tab closes, and for this tab alone. */
const storageName = "tapedeck.key";
const listeners = new Set<() => void>();
/** Stands in where the browser keeps nothing. */
let remembered: string | null = null;

function read(): string | null {
  try {
    return sessionStorage.getItem(storageName) ?? remembered;
  } catch {
    return remembered;
  }
}

/** Keeps a key in place of the one before; null forgets it. */
export function keepKey(key: string | null): void {
  remembered = key;
  try {
    if (key === null) sessionStorage.removeItem(storageName);
    else sessionStorage.setItem(storageName, key);
  } catch {
    // Storage is switched off: the key lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The key of this tab; null where there is none, and on the server. */
export function useKeptKey(): string | null {
  return useSyncExternalStore(subscribe, read, () => null);
}
