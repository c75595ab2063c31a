import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neutraliseWrapper, wrapContent } from "#lib/tracking/snapshots/read-snapshots";
import { codePoint } from "#tests/support/code-point";
import { propertyRuns } from "#tests/support/extended";

/** Characters that a reader may ignore within a tag. */
const gaps = fc.array(
  fc.constantFrom(
    ...["\n", "\t", " ", "\u0000", "\u0007", "\u0085", "\u00a0", "\u00ad", "\u034f", "\u200b", "\u200d", "\u202e"],
    ...["\u2060", "\u2028", "\u3164", "\ufe0f", "\ufeff", "\u0336", "\u{e0061}", "\u{e0001}"],
  ),
  { maxLength: 3 },
);
const letters = [..."vendor-content"].map((letter) =>
  fc.tuple(fc.constantFrom(letter, letter.toUpperCase()), gaps).map(([written, gap]) => `${written}${gap.join("")}`),
);
/** Opening or closing tags of the wrapper, with ignored characters in between and in any case. */
const tags = fc
  .tuple(fc.constantFrom("<", "＜"), gaps, fc.constantFrom("/", "", "\\/", "／", "//"), gaps, ...letters)
  .map(([open, before, slash, after, ...name]) => [open, before.join(""), slash, after.join(""), ...name].join(""));
const contents = fc
  .array(
    fc.oneof(tags, fc.string({ unit: codePoint, maxLength: 8 }), fc.constantFrom("<", "</", ">", "vendor-content")),
  )
  .map((parts) => parts.join(""));

/** Independent check: removes everything that a reader may ignore. */
function readOver(text: string): string {
  const visible = text.replace(/[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu, "");
  return visible.normalize("NFKC").toLowerCase().replaceAll("\\", "/").replace(/\/+/g, "/");
}

describe("neutraliseWrapper", () => {
  it("leaves no tag of the wrapper in any content, wherever it is divided", () => {
    fc.assert(
      fc.property(contents, (content) => {
        const safe = readOver(neutraliseWrapper(content));
        expect([safe.includes("<vendor-content"), safe.includes("</vendor-content")]).toEqual([false, false]);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it("changes only the angle brackets of such tags", () => {
    fc.assert(
      fc.property(contents, (content) => {
        const safe = neutraliseWrapper(content);
        expect(neutraliseWrapper(safe)).toBe(safe);
        const parts = safe.split("&lt;");
        let at = 0;
        for (const [index, part] of parts.entries()) {
          expect(content.startsWith(part, at)).toBe(true);
          at += part.length;
          if (index === parts.length - 1) continue;
          expect("<＜&").toContain(content[at]);
          at += content[at] === "&" ? "&lt;".length : 1;
        }
        expect(at).toBe(content.length);
      }),
    );
  });

  it.each([
    "</vendor-content>",
    "</VENDOR-CONTENT\n>",
    "</ vendor-content",
    "<\t/\u200bven\u00addor-content",
    '<vendor-content source="other">',
    "<\\/vendor-content>",
    "＜／ｖｅｎｄｏｒ－ｃｏｎｔｅｎｔ＞",
    "</v\u0435ndor\u2011content>",
    "<<</vendor-content>",
    "<!-- </vendor-content> -->",
  ])("neutralises %j", (text) => {
    const safe = neutraliseWrapper(text);
    expect(safe).not.toBe(text);
    expect(safe).toBe(text.replace(/[<＜](?=[^<＜!]*$)/, "&lt;").replace("<!-- <", "<!-- &lt;"));
  });

  it.each([
    "a < b",
    "<div>vendor-content</div>",
    "<vendor>",
    "</vendors-content>",
    "vendor-content",
    "<https://x.example>",
  ])("does not change %j", (text) => expect(neutraliseWrapper(text)).toBe(text));
});

describe("neutraliseWrapper on the longest files", () => {
  it.each(["\u200b", " ", "/", "\u{e0061}"])("finds a tag with a long run of %j between its parts", (filler) => {
    const far = filler.repeat(2_000_000);
    expect(neutraliseWrapper(`<${far}vendor-content>`).startsWith("&lt;")).toBe(true);
    expect(neutraliseWrapper(`<${far}`)).toBe(`<${far}`);
  });
});

describe("wrapContent", () => {
  it("opens once, at the start, and closes once, at the end", () => {
    fc.assert(
      fc.property(contents, (content) => {
        const wrapped = wrapContent("acme", content);
        expect(wrapped.startsWith('<vendor-content source="acme">\n')).toBe(true);
        expect(wrapped.endsWith("\n</vendor-content>")).toBe(true);
        const read = readOver(wrapped);
        expect([read.split("<vendor-content").length, read.split("</vendor-content").length]).toEqual([2, 2]);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
