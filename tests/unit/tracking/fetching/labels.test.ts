import { describe, expect, it } from "vitest";
import { decodeText, isBinary, isHtml, isMislabelledMarkdown, isTextType } from "#lib/tracking/fetching/detect-content";

/** What becomes of a body with a content type, before anything is stored. */
function read(body: Uint8Array, contentType: string | undefined): string {
  const text = decodeText(body, contentType);
  if (!isTextType(contentType) && !isMislabelledMarkdown(body, text, contentType)) return "refused type";
  if (isBinary(body, text)) return "refused binary";
  return isHtml(text) ? "refused page" : text;
}

const text = "# Über – 日本語 🙂\n\n- [Preise](https://acme.test/preise)\n";
const utf8 = Buffer.from(text);
const ascii = "# Docs\n\n- [Guide](https://acme.test/guide)\n";
const latin1 = Buffer.from("# Über café\n", "latin1");
const page = "<!doctype html>\n<html><body>Not here</body></html>";

describe("content types and charsets that do not fit", () => {
  it.each<[string, Uint8Array, string | undefined, string]>([
    // UTF-8, whatever the charset.
    ["UTF-8 without a type", utf8, undefined, text],
    ["UTF-8 as Latin-1", utf8, "text/plain; charset=iso-8859-1", text],
    ["UTF-8 as windows-1252", utf8, "text/markdown; charset=windows-1252", text],
    ["UTF-8 as US-ASCII", utf8, "text/plain; charset=us-ascii", text],
    ["UTF-8 as UTF-16", utf8, "text/plain; charset=utf-16", text],
    // Other charsets keep their declaration.
    ["ASCII as Latin-1", Buffer.from(ascii), "text/plain; charset=iso-8859-1", ascii],
    ["Latin-1 as Latin-1", latin1, "text/plain; charset=iso-8859-1", "# Über café\n"],
    // Markdown with other types.
    ["markdown as JSON", utf8, "application/json", text],
    ["markdown as JSON with a charset", utf8, "application/json; charset=iso-8859-1", text],
    ["markdown as JSON of a vendor", Buffer.from(ascii), "application/vnd.acme.v1+json", ascii],
    ["markdown as octets", utf8, "application/octet-stream", text],
    [
      "markdown that starts with a link, as JSON",
      Buffer.from("[Docs](https://a.test)\n"),
      "application/json",
      "[Docs](https://a.test)\n",
    ],
    ["markdown as an image", utf8, "image/png", "refused type"],
    ["an object", Buffer.from('{"title": "# Docs\\n"}'), "application/json", "refused type"],
    ["a list", Buffer.from('["# Docs"]'), "application/json", "refused type"],
    ["a string", Buffer.from('"# Docs\\n\\n- [a](/b)"'), "application/json", "refused type"],
    ["JSON that is cut off", Buffer.from('{"text": "\n# Docs\n'), "application/json", "refused type"],
    ["words without a heading or link, as JSON", Buffer.from("Not found\n"), "application/json", "refused type"],
    ["Latin-1 markdown as JSON", latin1, "application/json", "refused type"],
    ["markdown with a control character, as JSON", Buffer.from("# Docs\x01\n"), "application/json", "refused type"],
    ["a page as JSON", Buffer.from(page), "application/json", "refused type"],
    ["a page with markdown, as JSON", Buffer.from(`${page}\n# Docs\n`), "application/json", "refused page"],
    ["a page as octets", Buffer.from(page), "application/octet-stream", "refused page"],
    ["an archive as octets", Buffer.from("PK\x03\x04 and so on"), "application/octet-stream", "refused binary"],
  ])("%s", (_what, body, contentType, expected) => {
    expect(read(body, contentType)).toBe(expected);
  });
});
