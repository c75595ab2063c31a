"use client";

import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../button";
import { HitList } from "./hit-list";
import styles from "./search-dialog.module.css";
import { hitPath, type SearchState, useSearch } from "./use-search";

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

/** Search as you type over docs, cassettes and vendors, in a modal dialog. Enter in the field opens the results page. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(-1);
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const router = useRouter();
  const state = useSearch(typed);
  useEffect(() => dialog.current?.showModal(), []);

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
            Search docs, cassettes and vendors
          </label>
          <div className={styles.bar}>
            <input
              id="search-field"
              name="q"
              // Not a search field, in which Escape would clear the text first.
              type="text"
              enterKeyHint="search"
              role="combobox"
              placeholder="Docs, cassettes and vendors"
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
