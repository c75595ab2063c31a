"use client";

import { usePathname } from "next/navigation";
import {
  type ComponentType,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { Link } from "./link";
import type { SearchDialogProps } from "./search/search-dialog";
import styles from "./site.module.css";

/** The sections of the site, in the header's order. */
const siteLinks = [
  { href: "/replay", text: "Replay" },
  { href: "/docs/testing", text: "Test" },
  { href: "/vendors", text: "Vendors" },
  { href: "/models", text: "Models" },
  { href: "/docs", text: "Docs" },
  { href: "/pricing", text: "Pricing" },
] as const;

/** The page that the search opens without JavaScript. */
const searchPath = "/docs/search-results";

type LinksProps = { path: string; onSearch: (event: MouseEvent) => void };

function Links({ path, onSearch }: LinksProps) {
  // The first match: the docs have pages with a link of their own.
  const current = siteLinks.find(({ href }) => path === href || path.startsWith(`${href}/`));
  return (
    <ul>
      {siteLinks.map(({ href, text }) => (
        <li key={href}>
          <Link href={href} aria-current={href === current?.href ? "page" : undefined}>
            {text}
          </Link>
        </li>
      ))}
      <li>
        <Link href={searchPath} aria-keyshortcuts="/ Control+K" onClick={onSearch}>
          <svg
            aria-hidden="true"
            viewBox="0 0 16 16"
            width="16"
            height="16"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
          >
            <circle cx="7" cy="7" r="4.5" />
            <path d="M10.5 10.5 14 14" />
          </svg>
          Search
        </Link>
      </li>
    </ul>
  );
}

const editable = "input, textarea, select, [contenteditable]";

function opensSearch({ key, target, ctrlKey, metaKey, altKey, shiftKey }: globalThis.KeyboardEvent): boolean {
  if (key.toLowerCase() === "k") return (ctrlKey || metaKey) && !altKey && !shiftKey;
  const isTyping = target instanceof Element && target.closest(editable) !== null;
  return key === "/" && !ctrlKey && !metaKey && !altKey && !isTyping;
}

/** Loads the dialog when it is first needed. Returns it if it is open, and a function that opens it. */
function useSearchDialog() {
  const [Dialog, setDialog] = useState<ComponentType<SearchDialogProps> | null>(null);
  /** What was typed while the dialog loads; undefined at other times. */
  const early = useRef<string | undefined>(undefined);
  const takeTyped = useCallback(() => {
    const typed = early.current;
    early.current = undefined;
    return typed ?? "";
  }, []);
  const isOpen = Dialog !== null;
  const open = useCallback(async () => {
    if (isOpen) return;
    early.current ??= "";
    try {
      const { SearchDialog } = await import("./search/search-dialog");
      setDialog(() => SearchDialog);
    } catch {
      location.assign(`${searchPath}?q=${encodeURIComponent(takeTyped())}`);
    }
  }, [isOpen, takeTyped]);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const { key, ctrlKey, metaKey, repeat } = event;
      if (key === "Escape") early.current = undefined;
      const isEarly = early.current !== undefined && key.length === 1 && !ctrlKey && !metaKey;
      if (isEarly) early.current += repeat ? "" : key;
      else if (opensSearch(event)) void open();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [open]);
  return { dialog: Dialog && <Dialog takeTyped={takeTyped} onClose={() => setDialog(null)} />, open };
}

/** The site's navigation: a row on wide screens, a menu without script on narrow ones, which closes after a choice. */
export function SiteNav() {
  const path = usePathname() ?? "";
  const menu = useRef<HTMLDetailsElement>(null);
  const { dialog, open } = useSearchDialog();
  const onSearch = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void open();
  };
  const onMenuKey = ({ key }: KeyboardEvent) => {
    if (key !== "Escape" || !menu.current?.open) return;
    menu.current.open = false;
    menu.current.querySelector("summary")?.focus();
  };
  const links = <Links path={path} onSearch={onSearch} />;
  return (
    <>
      <nav className={`${styles.wide} ${styles.links}`} aria-label="Site">
        {links}
      </nav>
      <details ref={menu} className={`${styles.narrow} ${styles.links}`} onKeyDown={onMenuKey}>
        <summary>Menu</summary>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: clicks on its links, which keys send too. */}
        <div
          onClick={({ target }) =>
            target instanceof Element && target.closest("a") && menu.current?.removeAttribute("open")
          }
        >
          <nav aria-label="Site">{links}</nav>
        </div>
      </details>
      {dialog}
    </>
  );
}
