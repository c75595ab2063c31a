import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLinks } from "#lib/tracking/diffs/index";
import { codePoint } from "#tests/support/code-point";
import { propertyRuns } from "#tests/support/extended";

describe("links", () => {
  it.each<[string, string, string[]]>([
    ["in markdown", "- [Guide](https://example.com/guide.md): read it", ["https://example.com/guide.md"]],
    ["with a title", `[a](https://example.com/a "Title")`, ["https://example.com/a"]],
    ["with brackets of their own", "[a](https://example.com/a_(b))", ["https://example.com/a_(b)"]],
    ["as the text of a link", "[https://a.example](https://b.example)", ["https://a.example", "https://b.example"]],
    ["in angle brackets", "see <https://example.com/x>.", ["https://example.com/x"]],
    ["as a reference", "[docs]: https://example.com/docs", ["https://example.com/docs"]],
    ["bare, before a full stop", "Go to https://example.com/x. Then stop.", ["https://example.com/x"]],
    ["bare, in brackets and emphasis", "(**https://example.com/x**)", ["https://example.com/x"]],
    ["in HTML", `<a href='https://example.com/?a=1&b=2'>x</a>`, ["https://example.com/?a=1&b=2"]],
    ["in a table", "|https://example.com/a|https://example.com/b|", ["https://example.com/a", "https://example.com/b"]],
    ["in Chinese text", "见https://example.com/文档。好", ["https://example.com/文档"]],
    ["in capitals, as written", "HTTPS://Example.COM/A", ["HTTPS://Example.COM/A"]],
    [
      "with an address inside",
      "https://archive.example/https://a.example/",
      ["https://archive.example/https://a.example/"],
    ],
    ["with an IPv6 address", "http://[::1]:3000/x", ["http://[::1]:3000/x"]],
    ["before a template part", `<a href={\`https://example.com/x?\${utm('docs')}\`}>`, ["https://example.com/x"]],
    ["before a template part in the path", `fetch(\`https://example.com/v1/\${"id"}/x\`)`, ["https://example.com/v1/"]],
    ["in JSX", `<Card href={'https://example.com/a'} icon="x" />`, ["https://example.com/a"]],
    ["in a list in code", "['https://a.example','https://b.example']", ["https://a.example", "https://b.example"]],
    ["with escapes", "http://example.com/\\?a\\=1\\&b_c\\_", ["http://example.com/?a=1&b_c"]],
    ["before an escaped quote", '{\\"url\\":\\"https://example.com/a\\"}', ["https://example.com/a"]],
    ["with a placeholder", "`https://api.example.com/{id}/x`", ["https://api.example.com/{id}/x"]],
  ])("are found: %s", (_where, text, expected) => expect([...findLinks(text)]).toEqual(expected));

  it.each([
    ["of other schemes", "ftp://example.com git+https://example.com mailto:a@example.com /docs/a.md"],
    ["without a host", "https:// and http://) and https://?"],
    ["that are invalid", "https://exa mple:port/ http://[::1 https://a..b:99999/"],
    ["over 2,048 characters", `https://example.com/${"a".repeat(2_030)}`],
  ])("are not found: %s", (_what, text) => {
    expect([...findLinks(text)].filter((link) => !/^https:\/\/exa$|^https:\/\/a$/.test(link))).toEqual([]);
  });

  it("end before invisible characters", () => {
    for (const hidden of ["\u200b", "\u202e", "\u0000", "\u0007", "\u2028", "\ufeff", "\u{e0041}"]) {
      expect([...findLinks(`https://example.com/a${hidden}b`)]).toEqual(["https://example.com/a"]);
    }
  });

  it("are a set of valid URLs that occur in the text, for any text", () => {
    const parts = fc.oneof(
      fc.constantFrom("https://", "http://", "://", "example.com", "/", "(", ")", "[", "]", "\n", ".", "<", ">", " "),
      fc.string({ unit: codePoint, maxLength: 4 }),
    );
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 30 }).map((all) => all.join("")),
        (text) => {
          for (const link of findLinks(text)) {
            expect(text).toContain(link);
            expect(new URL(link).protocol).toMatch(/^https?:$/);
            expect(link).not.toMatch(/[\s\p{Cc}]/u);
          }
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("are those that the URL parser accepts, for any host", () => {
    const canOpen = (link: string) => URL.canParse(`${link}#\u4e2d`);
    const hosts = fc
      .array(fc.constantFrom("a", "0x1", "1", "xn--", "xn--a", ".", "-", "%", "_", ":", ":80", "é", "a-b", "Z9"), {
        minLength: 1,
        maxLength: 6,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(hosts, fc.constantFrom("", "/", "/a%zz", "?%", "#x"), (host, rest) => {
        const link = `https://${host}${rest}`;
        for (const found of findLinks(link)) expect(canOpen(found)).toBe(true);
        if (canOpen(link) && !/[._:]$/.test(link)) {
          expect([...findLinks(link)]).toEqual([link]);
        }
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("are found in linear time in hostile texts", () => {
    for (const piece of ["https://a ", "://", "http://(", "https://a/](", "h", "https://"]) {
      expect(findLinks(piece.repeat((4 * 1024 * 1024) / piece.length)).size).toBeLessThan(3);
    }
  });
});
