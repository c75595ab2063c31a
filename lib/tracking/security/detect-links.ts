import { type Detector, isOnDomain, type Match, registrableDomain } from "./finding";

/** A markdown or HTML link that runs code or embeds its target. Images in `data:` URLs are harmless and excluded. */
const scriptLink =
  /(?:\]\(|\]:|<|\b(?:href|src|action)=)\s{0,3}["'<]?\s{0,3}(?:(?:javascript|vbscript):(?=\S)|data:(?!image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,])[a-z]{2,20}\/)/gi;

const linkHost = /https?:\/\/([^\s/?#<>"'`()[\]{}\\|]{1,253})/gi;
const latin = /[a-z]/i;
const greekCyrillicOrArmenian = /[\u0370-\u058f]/;
/** Cyrillic and Greek letters that look like Latin ones: a label made only of these looks like a Latin word. */
const onlyLookalikes = /^[аеорсхуіјѕԁһԛԝοαρντυικ0-9-]{2,63}$/iu;

function isLookalike(host: string): boolean {
  return host.split(".").some((label) => {
    if (/^xn--/i.test(label)) return true;
    return greekCyrillicOrArmenian.test(label) && (latin.test(label) || onlyLookalikes.test(label));
  });
}

/** Fewest links, and smallest share of them to other domains, that are reported. */
const minLinkCount = 10;
const offDomainShare = 0.5;

function* detectHosts(text: string, domain: string): Generator<Match> {
  const own = registrableDomain(domain);
  let [linkCount, offDomainCount, firstOff] = [0, 0, 0];
  for (const { index, 0: link, 1: authority = "" } of text.matchAll(linkHost)) {
    const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d{0,5}$/, "");
    linkCount++;
    if (isOnDomain(host, own)) continue;
    if (offDomainCount++ === 0) firstOff = index;
    if (!/xn--|[\u0080-\uffff]/i.test(host) || !isLookalike(host)) continue;
    yield { detector: "lookalike-host", family: "links", points: 2, start: index, end: index + link.length };
  }
  if (linkCount < minLinkCount || offDomainCount / linkCount <= offDomainShare) return;
  yield { detector: "links-off-domain", family: "links", points: 0, start: firstOff, end: firstOff + 80 };
}

/** Finds links that run code or hide their target, lookalike hosts, and files that mostly link to other domains. */
export const detectLinks: Detector = function* ({ text, prose, domain }) {
  for (const { index, 0: link } of prose.matchAll(scriptLink)) {
    yield { detector: "script-link", family: "links", points: 3, start: index, end: index + link.length + 40 };
  }
  yield* detectHosts(text, domain);
};

/** URLs with a query string: the target of a markdown link, and the source of an HTML image. */
const markdownTarget = /\]\(\s{0,3}<?(https?:\/\/[^\s()[\]<>?]{1,500}\?[^\s)>]{1,1000})/gi;
const htmlImage = /<img\b[^<>]{0,300}?\bsrc\s{0,3}=\s{0,3}["']?(https?:\/\/[^\s"'<>?]{1,500}\?[^\s"'<>]{1,1000})/gi;
/** Longest text between `![` and its target. */
const maxLabelLength = 300;

/** A placeholder: `{question}`, `${data}`, `[SECRET]`, `%7B`, `INSERT_HERE`, `YOUR_DATA`. */
const template = /[{}]|\$\(|%7b|\[[a-z_ ]|<[a-z_]|\b(?:INSERT|YOUR|REPLACE)_|=(?:DATA|SECRET|PASSWORD|CONVERSATION)\b/i;

/** An image in the query of a badge, whose base64 is no placeholder. */
const embeddedImage = /\bdata(?::|%3a)image(?:\/|%2f)[^&]{0,2000}/gi;

/** Whether the bracket that closes at `close` was opened by `![`. */
function closesImage(prose: string, close: number): boolean {
  const line = prose.slice(Math.max(0, close - maxLabelLength), close);
  const open = line.lastIndexOf("![");
  return open >= 0 && !line.includes("](", open);
}

/** Finds images whose URL carries data, which displaying the image sends to its host. Ignores code. */
export const detectImages: Detector = function* ({ prose }) {
  for (const pattern of [markdownTarget, htmlImage]) {
    for (const { index, 0: image, 1: address = "" } of prose.matchAll(pattern)) {
      if (pattern === markdownTarget && !closesImage(prose, index)) continue;
      const isTemplated = template.test(address.slice(address.indexOf("?")).replace(embeddedImage, ""));
      const detector = isTemplated ? "image-template" : "image-query";
      yield { detector, family: "images", points: isTemplated ? 3 : 1, start: index, end: index + image.length };
    }
  }
};
