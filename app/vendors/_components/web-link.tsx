import { toVisible } from "#lib/tracking/diffs/index";

/** Longest address that is shown whole, and longest that becomes a link, in characters. */
const maxShownLength = 200;
const maxLinkLength = 2_000;

/** An address that a vendor wrote. Only that of a web page becomes a link, and it tells nobody where it was followed. */
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
