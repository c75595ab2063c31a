import { setMaxListeners } from "node:events";

/** Calls `action` once when a signal is aborted; what it gives back calls that off. */
export function onAbort(signal: AbortSignal | undefined, action: () => void): () => void {
  if (!signal) return () => undefined;
  // A whole run shares one signal: Node's warning of a leak at the eleventh listener would be wrong.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", action, { once: true });
  return () => signal.removeEventListener("abort", action);
}
