import { useEffect, useState } from "react";

/** The shown fields of a hit, all plain text. */
export type Hit = { id: string; surface: string; title: string; url: string; snippet: string };

export type SearchState =
  | { status: "idle" }
  | { status: "loading" }
  | { status: "found"; hits: Hit[] }
  | { status: "failed" };

const hitCount = 8;
/** Debounce time of typing, and the timeout of a request, in milliseconds. */
const debounceMs = 150;
const timeoutMs = 10_000;

async function fetchHits(q: string, signal: AbortSignal): Promise<SearchState> {
  const response = await fetch(`/api/v1/search?${new URLSearchParams({ q, limit: String(hitCount) })}`, { signal });
  if (!response.ok) return { status: "failed" };
  const { hits } = (await response.json()) as { hits: Hit[] };
  return { status: "found", hits };
}

/** Searches for the typed text. A new query aborts the previous one. */
export function useSearch(typed: string): SearchState {
  const [state, setState] = useState<SearchState>({ status: "idle" });
  const q = typed.trim();
  useEffect(() => {
    if (q === "") return setState({ status: "idle" });
    const controller = new AbortController();
    let isCurrent = true;
    const settle = (next: SearchState) => isCurrent && setState(next);
    setState((before) => (before.status === "found" ? before : { status: "loading" }));
    const start = () => {
      fetchHits(q, controller.signal).then(settle, () => settle({ status: "failed" }));
    };
    const debounce = setTimeout(start, debounceMs);
    const timeout = setTimeout(() => controller.abort(), debounceMs + timeoutMs);
    return () => {
      isCurrent = false;
      clearTimeout(debounce);
      clearTimeout(timeout);
      controller.abort();
    };
  }, [q]);
  return state;
}

/** Returns the path of a hit on this origin. */
export function hitPath({ url }: Hit): string {
  const { pathname, search } = new URL(url, location.href);
  return `${pathname}${search}`;
}
