const allowed = "(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9a-f]{2})*";
const allowedBehind = allowed.replace("/]", "/?]");
/** Links that are URIs as they stand: most of them. */
const plain = new RegExp(
  `^https?://[a-z0-9.-]+(?::\\d+)?(?:/${allowed})?(?:\\?${allowedBehind})?(?:#${allowedBehind})?$`,
  "i",
);

/** What RFC 3986 allows neither in a path nor in a query or fragment, stray percent signs included. */
const notAllowed = /[^\w\-.~!$&'()*+,;=:@/?%]|%(?![0-9a-f]{2})/giu;

const escapeRest = (part: string) => part.replace(notAllowed, encodeURIComponent);

/**
 * A link as RFC 3986 writes it: other letters in the host become Punycode, and what else a URI may not hold becomes
 * percent escapes. One that is a URI stays as it is. Throws TypeError where it is no absolute URL.
 */
export function toUri(link: string): string {
  if (plain.test(link)) return link;
  const { href, pathname, search, hash } = new URL(link);
  const host = href.slice(0, href.indexOf("/", "https://".length));
  const query = search && `?${escapeRest(search.slice(1))}`;
  return `${host}${escapeRest(pathname)}${query}${hash && `#${escapeRest(hash.slice(1))}`}`;
}
