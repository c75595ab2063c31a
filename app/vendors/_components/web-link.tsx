import { toVisible } from "#lib/tracking/diffs/index";

/** Maximum length of a URL that is shown in full, and of one that becomes a link, in characters. */
const maxShownLength = 200;
const maxLinkLength = 2_000;

/** A URL from a vendor's text. Only http(s) URLs become links, and they send no referrer. */
export function WebLink({ href, text = href }: { href: string; text?: string }) {
  const visible = toVisible(text);
  const shown = visible.length > maxShownLength ? `${visible.slice(0, maxShownLength)}…` : visible;
  if (!/^https?:\/\//i.test(href) || href.length > maxLinkLength) return <span>{shown}</span>;
  return (
    <a href={href} rel="nofollow noreferrer">
      {shown}
    </a>
  );
}
