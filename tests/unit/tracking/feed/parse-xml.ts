/** An element of a parsed document. */
export type XmlElement = { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string };

const allowed = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;
const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const attributePattern = /\s+([A-Za-z:_][\w:.-]*)="([^"<]*)"/gy;

/** Resolves references. Throws for a bare ampersand, an unknown name or an invalid character. */
function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+);|(\w+);)?/g, (whole, code?: string, name?: string) => {
    const value = code === undefined ? named[name ?? ""] : String.fromCodePoint(Number(code));
    if (value === undefined || !allowed.test(value)) throw new Error(`a reference that is none: ${whole}`);
    return value;
  });
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  attributePattern.lastIndex = 0;
  let end = 0;
  for (let match = attributePattern.exec(text); match; match = attributePattern.exec(text)) {
    const [, name, value] = match as unknown as [string, string, string];
    if (name in attributes) throw new Error(`${name} is given twice`);
    // Parsers replace white space in attributes with spaces.
    attributes[name] = unescapeXml(value.replace(/[\t\n\r]/g, " "));
    end = attributePattern.lastIndex;
  }
  if (text.slice(end).trim()) throw new Error(`these are no attributes: ${text.slice(end)}`);
  return attributes;
}

/** Parses the XML of feeds: elements, attributes and text. Throws if it is not well-formed. */
export function parseXml(document: string): XmlElement {
  if (!allowed.test(document)) throw new Error("a character that XML forbids");
  const [declaration] = /^<\?xml version="1\.0" encoding="utf-8"\?>\n/.exec(document) ?? [];
  if (declaration === undefined) throw new Error("no declaration");
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  for (const [token, tag] of document.slice(declaration.length).matchAll(/<([^<>]*)>|[^<]+|</g)) {
    const parent = open.at(-1) as XmlElement;
    if (tag === undefined) {
      if (token === "<" || token.includes("]]>")) throw new Error(`broken at ${token}`);
      parent.text += unescapeXml(token.replace(/\r\n?/g, "\n"));
    } else if (tag.startsWith("/")) {
      if (open.pop()?.name !== tag.slice(1).trimEnd()) throw new Error(`</${tag}> closes nothing`);
    } else {
      const [, name, attributes, closed] = /^([A-Za-z:_][\w:.-]*)((?:[^/]|\/(?!$))*)(\/?)$/s.exec(tag) ?? [];
      if (name === undefined) throw new Error(`<${tag}> is no tag`);
      const element: XmlElement = { name, attributes: attributesOf(attributes ?? ""), children: [], text: "" };
      parent.children.push(element);
      if (!closed) open.push(element);
    }
  }
  const [top, ...more] = root.children;
  if (open.length !== 1 || !top || more.length > 0 || root.text.trim()) throw new Error("not one whole element");
  return top;
}
