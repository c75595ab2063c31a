"use client";

import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../button";
import { kindName } from "./kind-name";
import styles from "./search-dialog.module.css";

/** The shown fields of a hit, all plain text. */
type Hit = { id: string; kind: string; title: string; url: string; snippet: string };

type SearchState = { status: "idle" } | { status: "loading" } | { status: "found"; hits: Hit[] } | { status: "failed" };

const hitCount = 10;
/** Debounce time of typing, and the timeout of a request, in milliseconds. */
const debounceMs = 150;
const timeoutMs = 10_000;

/** Searches for a text whose last word may still be being typed. */
async function fetchHits(q: string, signal: AbortSignal): Promise<SearchState> {
  const query = new URLSearchParams({ q, limit: String(hitCount), partial: "true" });
  const response = await fetch(`/api/v1/search?${query}`, { signal });
  if (!response.ok) return { status: "failed" };
  const { hits } = (await response.json()) as { hits: Hit[] };
  return { status: "found", hits };
}

/** Searches for the typed text. A new query aborts the previous one. */
function useSearch(typed: string): SearchState {
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
      for (const timer of [debounce, timeout]) clearTimeout(timer);
      controller.abort();
    };
  }, [q]);
  return state;
}

/** Returns the path of a hit on this origin. */
function hitPath({ url }: Hit): string {
  const { pathname, search } = new URL(url, location.href);
  return `${pathname}${search}`;
}

type Props = {
  id: string;
  state: SearchState;
  isShown: boolean;
  /** Index of the result that Enter opens; -1 for none. */
  active: number;
  q: string;
  onOpen: (hit: Hit) => void;
};

/** The search results below the field. Titles and snippets are shown as plain text. */
function HitList({ id, state, isShown, active, q, onOpen }: Props) {
  const hits = state.status === "found" ? state.hits : [];
  useEffect(() => {
    if (active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  return (
    <div className={styles.panel} hidden={!isShown}>
      {/* Keeps the focus in the field when a result is clicked. */}
      <div
        id={id}
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className={styles.hits}
        onMouseDown={(event) => event.preventDefault()}
      >
        {hits.map((hit, index) => (
          <button
            key={hit.id}
            type="button"
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={styles.hit}
            onClick={() => onOpen(hit)}
          >
            <span className={styles.title}>{hit.title}</span> <span className="muted">{kindName(hit.kind)}</span>
            {/* Would make the option's name long. */}
            <span className={styles.snippet} aria-hidden="true">
              {hit.snippet}
            </span>
          </button>
        ))}
      </div>
      {state.status === "loading" && <p className={`${styles.note} caption`}>Searching…</p>}
      {state.status === "failed" && (
        <p className={`${styles.note} caption`}>
          Search isn’t available right now. Press Enter to try the search page.
        </p>
      )}
      {state.status === "found" && hits.length === 0 && (
        <p className={`${styles.note} caption`}>
          No results for “{q}”. Try fewer or more general words, in English, or press Enter for ways to browse.
        </p>
      )}
      {hits.length > 0 && (
        <p className={`${styles.note} caption`}>↑ ↓ to select, Enter to open. Enter in the field shows all results.</p>
      )}
    </div>
  );
}

/** How a key moves through the results; -1 is the field itself. */
const steps: Record<string, (active: number, count: number) => number> = {
  ArrowDown: (active, count) => (active + 1 >= count ? -1 : active + 1),
  ArrowUp: (active, count) => (active === -1 ? count - 1 : active - 1),
};

function describeState(state: SearchState): string {
  if (state.status === "loading") return "Searching";
  if (state.status === "failed") return "Search isn’t available right now.";
  if (state.status === "idle") return "";
  return state.hits.length === 1 ? "1 result" : `${state.hits.length} results`;
}

export type SearchDialogProps = {
  /** Returns what was typed before the dialog could receive it. */
  takeTyped: () => string;
  onClose: () => void;
};

/** Search as you type over docs, cassettes, vendors and models, in a modal dialog. Enter in the field opens the results page. */
export function SearchDialog({ takeTyped, onClose }: SearchDialogProps) {
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(-1);
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const router = useRouter();
  const state = useSearch(typed);
  useEffect(() => {
    dialog.current?.showModal();
    const early = takeTyped();
    if (early !== "") setTyped(early);
  }, [takeTyped]);

  const hits = state.status === "found" ? state.hits : [];
  const isShown = state.status !== "idle";
  const open = (hit: (typeof hits)[number]) => {
    dialog.current?.close();
    router.push(hitPath(hit));
  };
  const onKey = (event: KeyboardEvent) => {
    const chosen = hits[active];
    const next = steps[event.key]?.(active, hits.length);
    if (next !== undefined) {
      event.preventDefault();
      setActive(next);
    } else if (event.key === "Enter" && chosen) {
      event.preventDefault();
      open(chosen);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it, as Escape does.
    <dialog
      ref={dialog}
      aria-label="Search"
      className={styles.dialog}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <search>
        <form action="/docs/search-results" className={styles.form}>
          <label htmlFor="search-field" className="visually-hidden">
            Search docs, cassettes, vendors and models
          </label>
          <div className={styles.bar}>
            <input
              id="search-field"
              name="q"
              // Not a search field, in which Escape would clear the text first.
              type="text"
              enterKeyHint="search"
              role="combobox"
              placeholder="Docs, cassettes, vendors, models"
              autoComplete="off"
              spellCheck={false}
              required
              maxLength={200}
              aria-autocomplete="list"
              aria-expanded={isShown}
              aria-controls={listId}
              aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
              value={typed}
              onKeyDown={onKey}
              onChange={({ target }) => {
                setTyped(target.value);
                setActive(-1);
              }}
            />
            <Button onClick={() => dialog.current?.close()}>Close</Button>
          </div>
          <HitList id={listId} state={state} isShown={isShown} active={active} q={typed.trim()} onOpen={open} />
          <p role="status" className="visually-hidden">
            {describeState(state)}
          </p>
        </form>
      </search>
    </dialog>
  );
}
