"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { useStoredKey } from "../../_components/stored-key";

/** A page with its title. */
export type RenderedPage = { title: string; content: ReactNode };

/** Renders a page for the owner of a vendor; null for everybody else. */
type RenderForOwner = (key: string, path: string, query: string) => Promise<RenderedPage | null>;

const renderNothing: RenderForOwner = async () => null;
const RenderContext = createContext(renderNothing);

/** Gives `OwnerView` the function that renders pages: it imports the pages, which import `OwnerView`. */
export function OwnerViewProvider({ render, children }: { render: RenderForOwner; children: ReactNode }) {
  return <RenderContext value={render}>{children}</RenderContext>;
}

/** Shows the page of an own vendor in a tab that has a key of its account, and `children` in all others. */
export function OwnerView({ children }: { children: ReactNode }) {
  const render = use(RenderContext);
  const key = useStoredKey();
  const path = usePathname();
  const query = useSearchParams().toString();
  const [page, setPage] = useState<RenderedPage | null>(null);
  useEffect(() => {
    if (!key) return;
    let isCurrent = true;
    const show = (rendered: RenderedPage | null) => {
      if (isCurrent) setPage(rendered);
    };
    // Without an answer the page stays as it is for everybody.
    render(key, path, query).then(show, () => {});
    return () => {
      isCurrent = false;
    };
  }, [render, key, path, query]);
  useEffect(() => {
    if (!page) return;
    const setTitle = () => {
      if (document.title !== page.title) document.title = page.title;
    };
    setTitle();
    // Next.js can set the title of the 404 page after this.
    const observer = new MutationObserver(setTitle);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [page]);
  // A page can say that a version or a change was not found, in an `OwnerView` that must not ask again.
  return page ? <RenderContext value={renderNothing}>{page.content}</RenderContext> : children;
}
