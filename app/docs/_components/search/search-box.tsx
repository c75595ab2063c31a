"use client";

import { useRouter } from "next/navigation";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { HitList } from "./hit-list";
import styles from "./search-box.module.css";
import { hitPath, type SearchState, useSearch } from "./use-search";
import { useSearchShortcut } from "./use-search-shortcut";

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

/** Search as you type over cassettes and docs. Without JavaScript the form opens the results page. */
export function SearchBox() {
  const [typed, setTyped] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const router = useRouter();
  const state = useSearch(typed);
  useSearchShortcut(field);

  const hits = state.status === "found" ? state.hits : [];
  const isShown = isOpen && state.status !== "idle";
  const close = () => {
    setIsOpen(false);
    setActive(-1);
  };
  const open = (hit: (typeof hits)[number]) => {
    close();
    router.push(hitPath(hit));
  };
  const onKey = (event: KeyboardEvent) => {
    const chosen = hits[active];
    const next = steps[event.key]?.(active, hits.length);
    if (next !== undefined) {
      event.preventDefault();
      setIsOpen(true);
      setActive(next);
    } else if (event.key === "Enter" && isShown && chosen) {
      event.preventDefault();
      open(chosen);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (!isShown) setTyped("");
      close();
    }
  };
  return (
    <search className={styles.search}>
      <form
        action="/docs/search-results"
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) close();
        }}
      >
        <label htmlFor="search" className="visually-hidden">
          Search cassettes and docs
        </label>
        <input
          ref={field}
          id="search"
          name="q"
          type="search"
          role="combobox"
          placeholder="Search"
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={200}
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={listId}
          aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
          value={typed}
          onKeyDown={onKey}
          onFocus={() => setIsOpen(true)}
          onChange={({ target }) => {
            setTyped(target.value);
            setActive(-1);
            setIsOpen(true);
          }}
        />
        <span aria-hidden="true" className={styles.slash}>
          /
        </span>
        <button type="submit" className={styles.submit}>
          Search
        </button>
        <HitList id={listId} state={state} isShown={isShown} active={active} q={typed.trim()} onOpen={open} />
        <p role="status" className="visually-hidden">
          {isShown ? describeState(state) : ""}
        </p>
      </form>
    </search>
  );
}
