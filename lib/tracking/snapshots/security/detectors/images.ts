import type { Detector } from "../scanned-text";

/** Addresses with a query string: the target of a markdown link, and the source of an HTML image. */
const markdownTarget = /\]\(\s{0,3}<?(https?:\/\/[^\s()[\]<>?]{1,500}\?[^\s)>]{1,1000})/gi;
const htmlImage = /<img\b[^<>]{0,300}?\bsrc\s{0,3}=\s{0,3}["']?(https?:\/\/[^\s"'<>?]{1,500}\?[^\s"'<>]{1,1000})/gi;
/** Longest text between `![` and its target. */
const maxLabelLength = 300;

/** A part to be filled in: `{question}`, `${data}`, `[SECRET]`, `%7B`, `INSERT_HERE`, `YOUR_DATA`. */
const template = /[{}]|\$\(|%7b|\[[a-z_ ]|<[a-z_]|\b(?:INSERT|YOUR|REPLACE)_|=(?:DATA|SECRET|PASSWORD|CONVERSATION)\b/i;

/** Whether the bracket that closes at `close` was opened by `![`. */
function closesImage(prose: string, close: number): boolean {
  const line = prose.slice(Math.max(0, close - maxLabelLength), close);
  const open = line.lastIndexOf("![");
  return open >= 0 && !line.includes("](", open);
}

/** Pictures whose address carries data: showing one sends it to the picture's host. In prose alone. */
export const detectImages: Detector = function* ({ prose }) {
  for (const pattern of [markdownTarget, htmlImage]) {
    for (const { index, 0: image, 1: address = "" } of prose.matchAll(pattern)) {
      if (pattern === markdownTarget && !closesImage(prose, index)) continue;
      const isTemplated = template.test(address.slice(address.indexOf("?")));
      const detector = isTemplated ? "image-template" : "image-query";
      yield { detector, family: "images", points: isTemplated ? 3 : 1, start: index, end: index + image.length };
    }
  }
};
