import { useEffect, useState } from "react";

/** The shown fields of a hit, all plain text. */
export type Hit = { id: string; kind: string; title: string; url: string; snippet: string };

export type SearchState =
  | { status: "idle" }
  | { status: "loading" }
  | { status: "found"; hits: Hit[] }
  | { status: "failed" };

const hitCount = 10;
/** Debounce time of typing, and the timeout of a request, in milliseconds. */
const debounceMs = 150;
const timeoutMs = 10_000;
/** A text without results that stays this long, in milliseconds, counts as a search that found nothing. */
const missAfterMs = 2_000;

/** Searches for a text; with `partial`, its last word is still being typed. */
async function fetchHits(q: string, partial: boolean, signal: AbortSignal): Promise<SearchState> {
  const query = new URLSearchParams({ q, limit: String(hitCount), partial: String(partial) });
  const response = await fetch(`/api/v1/search?${query}`, { signal });
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
    let miss: ReturnType<typeof setTimeout> | undefined;
    const settle = (next: SearchState) => isCurrent && setState(next);
    // Searches of complete words that find nothing are counted, those of partial ones are not.
    const countMiss = () => void fetchHits(q, false, controller.signal).then(settle, () => undefined);
    const finish = (next: SearchState) => {
      if (isCurrent && next.status === "found" && next.hits.length === 0) miss = setTimeout(countMiss, missAfterMs);
      settle(next);
    };
    setState((before) => (before.status === "found" ? before : { status: "loading" }));
    const start = () => {
      fetchHits(q, true, controller.signal).then(finish, () => settle({ status: "failed" }));
    };
    const debounce = setTimeout(start, debounceMs);
    const timeout = setTimeout(() => controller.abort(), debounceMs + timeoutMs);
    return () => {
      isCurrent = false;
      for (const timer of [debounce, timeout, miss]) clearTimeout(timer);
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
