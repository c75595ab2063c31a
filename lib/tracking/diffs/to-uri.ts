const allowed = "(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9a-f]{2})*";
const allowedBehind = allowed.replace("/]", "/?]");
/** Links that are valid URIs already, as most are. */
const plain = new RegExp(
  `^https?://[a-z0-9.-]+(?::\\d+)?(?:/${allowed})?(?:\\?${allowedBehind})?(?:#${allowedBehind})?$`,
  "i",
);

/** Characters that RFC 3986 allows neither in a path nor in a query or fragment, including stray percent signs. */
const notAllowed = /[^\w\-.~!$&'()*+,;=:@/?%]|%(?![0-9a-f]{2})/giu;

const escapeRest = (part: string) => part.replace(notAllowed, encodeURIComponent);

/**
 * Returns a link as a URI by RFC 3986: with Punycode in the host, and percent escapes for other characters that are not
 * allowed. A valid URI is returned unchanged. Throws TypeError for anything but an absolute URL.
 */
export function toUri(link: string): string {
  if (plain.test(link)) return link;
  const { href, pathname, search, hash } = new URL(link);
  const host = href.slice(0, href.indexOf("/", "https://".length));
  const query = search && `?${escapeRest(search.slice(1))}`;
  return `${host}${escapeRest(pathname)}${query}${hash && `#${escapeRest(hash.slice(1))}`}`;
}
