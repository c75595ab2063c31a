"use client";

import { useSyncExternalStore } from "react";

/** Name in the session storage, which only this tab has and which ends when the tab closes. */
const storageName = "tapedeck.key";
const listeners = new Set<() => void>();
/** Fallback if the browser's storage is turned off. */
let keyInMemory: string | null = null;

function read(): string | null {
  try {
    return sessionStorage.getItem(storageName) ?? keyInMemory;
  } catch {
    return keyInMemory;
  }
}

/** Stores a key in place of the previous one; null removes it. */
export function storeKey(key: string | null): void {
  keyInMemory = key;
  try {
    if (key === null) sessionStorage.removeItem(storageName);
    else sessionStorage.setItem(storageName, key);
  } catch {
    // Storage is disabled: the key is kept only until the page is closed.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the key of this tab; null if there is none, and on the server. */
export function useStoredKey(): string | null {
  return useSyncExternalStore(subscribe, read, () => null);
}
