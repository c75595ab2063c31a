import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeText, isBinary, isHtml, isTextType } from "#lib/tracking/fetching/detect-content";
import { codePoint } from "#tests/support/code-point";
import { fetchFirst } from "#tests/support/fetch-context";
import { startTestVendors, type TestVendors, versionText } from "#tests/support/test-vendors";
import { bytes, htmlPage } from "#tests/support/vendor-answers";

let testVendors: TestVendors;
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 1 });
});
afterAll(() => testVendors.close());

async function fetchText(body: Uint8Array | string, headers: Record<string, string> = {}): Promise<string> {
  testVendors.setAnswer("vendor-01", bytes(body, headers));
  const fetched = await fetchFirst(testVendors);
  return fetched.kind === "content" ? fetched.text : fetched.kind === "failed" ? fetched.failure : fetched.kind;
}

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(text, "utf16le");

describe("the charset of a file", () => {
  it.each<[string, Uint8Array, string | undefined, string]>([
    ["UTF-8", Buffer.from("# Über – 🙂\n"), undefined, "# Über – 🙂\n"],
    ["a UTF-8 byte-order mark, which is kept", Buffer.from("\ufeff# Ü\n"), undefined, "\ufeff# Ü\n"],
    [
      "a UTF-8 byte-order mark before a declared charset",
      Buffer.from("\ufeffÜ"),
      "text/plain; charset=iso-8859-1",
      "\ufeffÜ",
    ],
    ["a UTF-16 byte-order mark, which is removed", utf16("\ufeff# Ü\n"), undefined, "# Ü\n"],
    ["a UTF-16BE byte-order mark", utf16("\ufeff# Ü\n").swap16(), "text/plain; charset=utf-8", "# Ü\n"],
    ["UTF-16 by name", utf16("# Ü\n"), "text/plain; charset=UTF-16LE", "# Ü\n"],
    ["a declared charset", Buffer.from([0xcf, 0xf0, 0xe8]), "text/plain; charset=windows-1251", "При"],
    ["a declared charset in quotes", Buffer.from([0x83, 0x65]), 'text/plain; format=flowed; Charset="Shift_JIS"', "テ"],
    ["Latin-1 by name, as browsers read it", Buffer.from([0x93, 0xe9, 0x94]), "text/plain; charset=iso-8859-1", "“é”"],
    ["an unknown charset", Buffer.from("Ü"), "text/plain; charset=klingon", "Ü"],
    ["a charset that is no longer decoded", Buffer.from("Ü"), "text/plain; charset=iso-2022-kr", "Ü"],
    ["Latin-1 that is declared as UTF-8", latin1("# Über café\n"), "text/plain; charset=utf-8", "# Über café\n"],
    ["windows-1252 that is not declared", Buffer.from([0x93, 0x61, 0x94, 0x20, 0x80]), undefined, "“a” €"],
    [
      "UTF-8 with one broken byte",
      Buffer.concat([Buffer.from("– naïve "), latin1("\xff.")]),
      undefined,
      "– naïve \ufffd.",
    ],
  ])("is detected: %s", (_what, body, contentType, text) => {
    expect(decodeText(body, contentType)).toBe(text);
  });

  it("valid UTF-8 is never changed", () => {
    const text = fc.string({ unit: codePoint }).filter((one) => !/^[\ufffe\ufeff]/.test(one));
    const types = fc.constantFrom(undefined, "text/plain", "text/markdown; charset=utf-8");
    fc.assert(
      fc.property(text, types, (one, type) => {
        expect(decodeText(Buffer.from(one), type)).toBe(one);
      }),
    );
  });

  it("any bytes decode to well-formed text", () => {
    const labels = fc.constantFrom("utf-8", "utf-16", "iso-8859-1", "gb18030", "x-user-defined", "nothing");
    fc.assert(
      fc.property(fc.uint8Array(), labels, (body, label) => {
        const text = decodeText(body, `text/plain; charset=${label}`);
        expect(Buffer.from(text).toString()).toBe(text);
      }),
    );
  });
});

describe("a content type", () => {
  it.each([
    ...["text/plain", "text/markdown; charset=utf-8", "TEXT/HTML", "text/x-markdown", "application/markdown"],
    ...["application/octet-stream", "binary/octet-stream", "", undefined],
  ])("%j may be a text file", (type) => expect(isTextType(type)).toBe(true));

  it.each([
    ...["image/png", "image/svg+xml", "application/pdf", "application/zip", "application/json", "video/mp4"],
    ...["application/xhtml+xml", "font/woff2", "multipart/form-data; boundary=x", "text", "text/"],
  ])("%j is not a text file", (type) => expect(isTextType(type)).toBe(false));
});

describe("binary content", () => {
  it.each<[string, Uint8Array]>([
    ["a PDF", Buffer.from("%PDF-1.7\n% a beginning in plain text\n")],
    ["an archive", latin1("PK\x03\x04 and so on")],
    ["an image", latin1("GIF89a and so on")],
    ["gzip in gzip", latin1("\x1f\x8b\x08 and so on")],
    ["a NUL", Buffer.from("# A text\0 with a NUL")],
    ["undeclared UTF-16", utf16("# A text\n")],
    ["control characters", Buffer.from("\x01\x02\x03".repeat(20))],
  ])("is rejected regardless of its type: %s", async (_what, body) => {
    expect(await fetchText(body)).toBe("not_text");
    expect(await fetchText(body, { "content-type": "application/octet-stream" })).toBe("not_text");
  });

  it("the content type is checked before the content", async () => {
    for (const type of ["image/png", "application/pdf", "application/zip"])
      expect(await fetchText("# A text\n", { "content-type": type })).toBe("not_text");
  });

  it("includes nearly all random bytes", () => {
    const random = (seed: number) =>
      Buffer.from(
        Array.from({ length: 2_000 }, (_, index) => (Math.imul(index + 1, 2_654_435_761 + seed * 2) >>> 13) & 255),
      );
    for (let seed = 0; seed < 20; seed += 1) {
      const body = random(seed);
      expect(isBinary(body, decodeText(body, undefined))).toBe(true);
    }
  });

  it("excludes text with terminal colours, form feeds or a single control character", () => {
    const text = `# A text\f\n\x1b[1mbold\x1b[0m\v\x08 ${"and so on ".repeat(10)}`;
    expect(isBinary(Buffer.from(text), text)).toBe(false);
  });
});

describe("an empty file", () => {
  it.each(["", " \r\n\t\n", "\ufeff", "\ufeff\n"])("includes %j", async (body) => {
    expect(await fetchText(body)).toBe("empty");
  });
});

const paragraph = "A paragraph that says something about the product at hand and goes on for a while. ";

describe("HTML instead of a file", () => {
  it.each([
    ["a whole page", htmlPage],
    ["in capitals", '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">\n<HTML><BODY>Not here</BODY></HTML>'],
    ["after white space and a byte-order mark", `\ufeff\n\n  ${htmlPage}`],
    ["after a comment longer than a screen", `<!-- ${"licence ".repeat(2_000)} -->\n${htmlPage}`],
    ["after an XML declaration", `<?xml version="1.0"?>\n${htmlPage}`],
    ["after a warning of the server", `Warning: something in line 3<br />\n${htmlPage}`],
    ["without a doctype", "<html><head><title>404</title></head><body>Not here</body></html>"],
    ["with an attribute and a line break", '<html\n lang="en">\n<body>Not here</body></html>'],
    ["with a head alone", "<head><title>Moved</title></head>\nMoved"],
    [
      "that only runs a script",
      '<script>location.href = "/challenge"</script>\n<noscript>Please turn it on</noscript>',
    ],
    ["that only refreshes", '<meta http-equiv="refresh" content="0; url=/docs">'],
    ["a fragment", `<div class="page"><ul>${'<li><a href="/x">Item</a></li>'.repeat(20)}</ul></div>`],
    [
      "a fragment of prose",
      `<h1>Hello</h1>${`<p class="prose-base mt-4">${"Few words. ".repeat(3)}</p>\n`.repeat(20)}`,
    ],
    ["that quotes markdown in a code block", "<!doctype html>\n<pre>\n```\n# Heading\n- [a](https://b)\n```\n</pre>"],
  ])("is detected by its content: %s", (_what, page) => expect(isHtml(page)).toBe(true));

  it("is refused whatever its type", async () => {
    for (const type of ["text/plain; charset=utf-8", "text/markdown", "text/html", "application/octet-stream"])
      expect(await fetchText(htmlPage, { "content-type": type })).toBe("html");
  });

  it.each([
    ["a made-up file", versionText("A", 40)],
    ["only prose", paragraph.repeat(30)],
    ["one word", "ok\n"],
    ["a page in a fence", `# A\n\n\`\`\`html\n${htmlPage}\`\`\`\n`],
    ["a page in a fence, before any heading", `Put this on your page:\n\n~~~~html\n${htmlPage}~~~~\n`],
    ["a page in a fence that does not end", `Put this on your page:\n\`\`\`\n${htmlPage}`],
    ["tags in code", `Write \`<!doctype html>\` and \`<html>\` first.\n${paragraph}`],
    ["tags in prose", `# A\n\nThe <html> tag, then <head> and <body>.\n<body> comes last.\n`],
    ["the head in prose, without a heading", `${paragraph} Use the <head> tag and the <body> tag.`],
    [
      "a template with a body",
      `${paragraph}\n\n<task>\n  <head>${paragraph}</head>\n  <body>${paragraph}</body>\n</task>\n`,
    ],
    ["a page quoted without a fence, below a heading", `# A\n\n${htmlPage}`],
    [
      "badges in HTML",
      `<p align="center">\n${'<a href="https://a.example"><img src="https://b.example/c.svg" alt="x"></a>\n'.repeat(20)}</p>\n\n# A\n`,
    ],
    ["inline tags", `${`${paragraph}<br>H<sub>2</sub>O and <kbd>Ctrl</kbd>\n`.repeat(30)}`],
    ["generics and placeholders", `Map<K, V>, Array<T>, <your-key>, <SYSTEM>\n${"Promise<void> ".repeat(50)}`],
    ["components", `${"<Tip>Note</Tip> <Card title='x' /> ".repeat(30)}`],
    ["a comment at the start", "<!-- generated -->\n# A\n\n- [a](https://b.example)\n"],
    ["a comment that does not end", `<!-- generated\n${paragraph}`],
    ["an element of its own at the start", `<SYSTEM>${paragraph}</SYSTEM>\n\n# Start\n`],
    ["JSON", '{"error": "not found"}'],
  ])("does not include a text that only mentions it: %s", (_what, text) => expect(isHtml(text)).toBe(false));

  it("is no file that is declared as HTML", async () => {
    const text = versionText("A", 40);
    expect(await fetchText(text, { "content-type": "text/html; charset=utf-8" })).toBe(text);
  });

  it("is detected quickly in ten megabytes of anything", () => {
    const pieces = [
      "<",
      "<a ",
      "<!--",
      "<p x",
      "`",
      "```\n",
      "~~~",
      " \n",
      "<!doctype  ",
      "](",
      "- [",
      "<html",
      "\t- ",
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(10_000_000 / piece.length));
      expect([piece, typeof isHtml(text)]).toEqual([piece, "boolean"]);
    }
  });
});
