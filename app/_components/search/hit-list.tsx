import { useEffect } from "react";
import { kindName } from "./kind-name";
import styles from "./search-dialog.module.css";
import type { Hit, SearchState } from "./use-search";

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
export function HitList({ id, state, isShown, active, q, onOpen }: Props) {
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
            <span className={styles.snippet}>{hit.snippet}</span>
          </button>
        ))}
      </div>
      {state.status === "loading" && <p className={styles.note}>Searching…</p>}
      {state.status === "failed" && (
        <p className={styles.note}>Search isn’t available right now. Press Enter to try the search page.</p>
      )}
      {state.status === "found" && hits.length === 0 && (
        <p className={styles.note}>
          No results for “{q}”. Try fewer or more general words, in English, or press Enter for ways to browse.
        </p>
      )}
      {hits.length > 0 && (
        <p className={styles.note}>↑ ↓ to select, Enter to open. Enter in the field shows all results.</p>
      )}
    </div>
  );
}
