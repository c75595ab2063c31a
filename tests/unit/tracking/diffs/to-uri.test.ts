import Ajv from "ajv/dist/2020";
import addFormats from "ajv-formats";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLinks } from "#lib/tracking/diffs/index";
import { toUri } from "#lib/tracking/diffs/read-diffs";
import { codePoint } from "#tests/support/code-point";
import { propertyRuns } from "#tests/support/extended";

const ajv = new Ajv();
addFormats(ajv);
const isUri = ajv.compile({ type: "string", format: "uri" });

describe("toUri", () => {
  it.each(["https://example.com", "https://EXAMPLE.com/Docs/?a=b&c#d", "http://127.0.0.1:3000/a%20b/(c)"])(
    "leaves %s as it is",
    (link) => expect(toUri(link)).toBe(link),
  );

  it.each([
    ["https://exämple.com/ü?ö=1#ä", "https://xn--exmple-cua.com/%C3%BC?%C3%B6=1#%C3%A4"],
    ["https://example.com/100%", "https://example.com/100%25"],
    ["https://example.com/{id}?a[]=1|2", "https://example.com/%7Bid%7D?a%5B%5D=1%7C2"],
    ["https://[2001:db8::1]/a", "https://[2001:db8::1]/a"],
    ["https://example.com/{?#", "https://example.com/%7B"],
    ["http://ä/b", "http://xn--4ca/b"],
    ["https://user:pass@example.com/#a#b", "https://user:pass@example.com/#a%23b"],
  ])("converts %s to %s", (link, uri) => expect(toUri(link)).toBe(uri));

  it("returns a URI for every link that a text can contain", () => {
    const parts = fc.constantFrom(
      "/",
      "?",
      "#",
      "[",
      "]",
      "(",
      ")",
      "{",
      "%",
      "%2",
      "%41",
      ":",
      "@",
      "'",
      "ü",
      "中",
      "\u{1f600}",
    );
    const tail = fc.array(fc.oneof(parts, fc.string({ unit: codePoint, maxLength: 3 })), { maxLength: 12 });
    const host = fc.constantFrom("a.example", "[::1]", "u:p@a.example:8080", "ü.example", "A.example.");
    const links = fc.tuple(host, tail).map(([name, rest]) => `https://${name}/${rest.join("")}`);
    fc.assert(
      fc.property(links, (text) => {
        for (const link of findLinks(text))
          expect([link, toUri(link), isUri(toUri(link))]).toEqual([link, toUri(link), true]);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});
