import { useEffect, useState } from "react";

/** What is shown of a hit; all of it is text. */
export type Hit = { id: string; surface: string; title: string; url: string; snippet: string };

export type SearchState =
  | { status: "idle" }
  | { status: "loading" }
  | { status: "found"; hits: Hit[] }
  | { status: "failed" };

const hitCount = 8;
/** How long the typing has to rest before anything is asked, and how long an answer may take, in milliseconds. */
const restMs = 150;
const timeoutMs = 10_000;

async function ask(q: string, signal: AbortSignal): Promise<SearchState> {
  const answer = await fetch(`/api/v1/search?${new URLSearchParams({ q, limit: String(hitCount) })}`, { signal });
  if (!answer.ok) return { status: "failed" };
  const { hits } = (await answer.json()) as { hits: Hit[] };
  return { status: "found", hits };
}

/** What the API finds for what is typed. A newer question takes back the one before. */
export function useSearch(typed: string): SearchState {
  const [state, setState] = useState<SearchState>({ status: "idle" });
  const q = typed.trim();
  useEffect(() => {
    if (q === "") return setState({ status: "idle" });
    const controller = new AbortController();
    let isCurrent = true;
    const settle = (next: SearchState) => isCurrent && setState(next);
    setState((before) => (before.status === "found" ? before : { status: "loading" }));
    const begin = () => {
      ask(q, controller.signal).then(settle, () => settle({ status: "failed" }));
    };
    const rest = setTimeout(begin, restMs);
    const limit = setTimeout(() => controller.abort(), restMs + timeoutMs);
    return () => {
      isCurrent = false;
      clearTimeout(rest);
      clearTimeout(limit);
      controller.abort();
    };
  }, [q]);
  return state;
}

/** Where a hit leads to on this origin. */
export function pathOfHit({ url }: Hit): string {
  const { pathname, search } = new URL(url, location.href);
  return `${pathname}${search}`;
}
