import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAllowedBy, parseRobots } from "#lib/tracking/fetching/robots-rules";
import { codePoint } from "#tests/support/code-point";
import { propertyRuns } from "#tests/support/extended";

const isAllowed = (lines: string | string[], path = "/llms.txt") =>
  isAllowedBy(parseRobots([lines].flat().join("\n"), "TapedeckBot"), new URL(path, "https://vendor.example"));

const outcomes = (path: string, cases: Record<string, boolean>) => {
  for (const [rule, allowed] of Object.entries(cases))
    expect([rule, path, isAllowed(["User-agent: *", rule], path)]).toEqual([rule, path, allowed]);
};

describe("the group of rules for a robot", () => {
  it.each<[string, string[], boolean]>([
    ["is the * group", ["User-agent: *", "Disallow: /"], false],
    [
      "is the robot's own group if there is one",
      ["User-agent: *", "Disallow: /", "User-agent: TapedeckBot", "Allow: /"],
      true,
    ],
    [
      "is the robot's own group in any position",
      ["User-agent: TapedeckBot", "Disallow: /", "User-agent: *", "Allow: /"],
      false,
    ],
    [
      "is its own also where that has no rule",
      ["User-agent: tapedeckbot", "Disallow:", "User-agent: *", "Disallow: /"],
      true,
    ],
    ["is the robot's own group with a version", ["user-agent: TAPEDECKBOT/2.0", "disallow: /"], false],
    ["is never another robot's group", ["User-agent: OtherBot", "Disallow: /"], true],
    ["is never the group of a longer name", ["User-agent: TapedeckBot-News", "Disallow: /"], true],
    [
      "may name several robots",
      ["User-agent: OtherBot", "User-agent: TapedeckBot", "User-agent: x", "Disallow: /"],
      false,
    ],
    [
      "may stand in pieces",
      ["User-agent: TapedeckBot", "Allow: /a", "User-agent: x", "Allow: /", "User-agent: TapedeckBot", "Disallow: /"],
      false,
    ],
    ["starts a new group after a rule", ["User-agent: TapedeckBot", "Allow: /x", "User-agent: x", "Disallow: /"], true],
    [
      "goes on after other records",
      ["User-agent: TapedeckBot", "Crawl-delay: 9", "Sitemap: https://x", "", "Disallow: /"],
      false,
    ],
    [
      "goes on over them between its names",
      ["User-agent: TapedeckBot", "Crawl-delay: 9", "User-agent: x", "Disallow: /"],
      false,
    ],
    ["requires a user agent", ["Disallow: /", "User-agent:", "Disallow: /"], true],
    ["ignores comments", ["User-agent: * # all", "Disallow: / # everything", "# Allow: /"], false],
    ["allows any white space", [" \tUser-agent \t:\t*  ", "  DISALLOW:/  "], false],
    ["ignores invalid lines", ["<html>", ":", "::", "#", "User-agent: *", "nonsense", "Disallow: /"], false],
    [
      "treats __proto__ like any name",
      ["User-agent: __proto__", "Disallow: /", "User-agent: constructor", "Disallow: /"],
      true,
    ],
  ])("%s", (_what, lines, allowed) => expect(isAllowed(lines)).toBe(allowed));

  it("is found with any line endings", () => {
    for (const end of ["\n", "\r\n", "\r"]) expect(isAllowed(`User-agent: *${end}Disallow: /${end}`)).toBe(false);
  });
});

describe("the deciding rule", () => {
  it("matches from the start, with wildcards and an end anchor", () => {
    outcomes("/llms.txt", {
      "Disallow: /llms": false,
      "Disallow: /llms.txt": false,
      "Disallow: /llms.txt$": false,
      "Disallow: /llms$": true,
      "Disallow: /LLMS": true,
      "Disallow: llms": true,
      "Disallow: *.txt": false,
      "Disallow: /*.txt$": false,
      "Disallow: /*.md$": true,
      "Disallow: /l*m*t$": false,
      "Disallow: /*x*x": true,
      "Disallow: /llms.txt*": false,
      "Disallow: /llms.txt*$": false,
      "Disallow: /llms.txt/": true,
      "Disallow: /*llms.txt?": true,
      "Disallow: *": false,
      "Disallow: $": true,
      "Disallow: /llms$.txt": true,
      "Disallow:": true,
    });
    outcomes("/a?b=c", { "Disallow: /a?": false, "Disallow: /*b=": false, "Disallow: /a$": true });
    outcomes("/aba", { "Disallow: /ab*ba$": true, "Disallow: /a*a$": false });
  });

  it("is compared independently of percent-encoding", () => {
    outcomes("/%e4%b8%ad/%61", {
      "Disallow: /中/a": false,
      "Disallow: /%E4%B8%AD": false,
      "Disallow: /%e4%b8%ad/%61$": false,
    });
    outcomes("/a%2Fb", { "Disallow: /a/b": true, "Disallow: /a%2fb": false });
    outcomes("/[x]|^", { "Disallow: /[x]": false, "Disallow: /%5Bx%5D": false });
  });

  it("is the longest one, and on a tie the one that allows", () => {
    const everybody = "User-agent: *";
    expect(isAllowed([everybody, "Disallow: /", "Allow: /llms"])).toBe(true);
    expect(isAllowed([everybody, "Allow: /llms", "Disallow: /"])).toBe(true);
    expect(isAllowed([everybody, "Allow: /", "Disallow: /llms.txt"])).toBe(false);
    for (const lines of [
      ["Allow: /llms", "Disallow: /llms"],
      ["Disallow: /llms", "Allow: /llms"],
    ])
      expect(isAllowed([everybody, ...lines])).toBe(true);
  });

  it("matches as a regular expression would", () => {
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "$"), maxLength: 12 });
    const path = fc.string({ unit: fc.constantFrom("a", "b", "/", "$"), maxLength: 15 });
    fc.assert(
      fc.property(pattern, path, (one, rest) => {
        const url = new URL(`https://vendor.example/${rest.replace(/^\/+/, "")}`);
        const body = one.replace(/\$$/, "").replaceAll("$", "\\$").replaceAll("*", ".*");
        const expression = new RegExp(`^/${body}${one.endsWith("$") ? "$" : ""}`);
        expect(isAllowed(["User-agent: *", `Disallow: /${one}`], url.href)).toBe(!expression.test(url.pathname));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});

describe("a hostile robots.txt", () => {
  const size = 512 * 1024;
  const fill = (line: (index: number) => string, byteSize: number) => {
    const lines: string[] = [];
    for (let length = 0; length < byteSize; length += (lines.at(-1)?.length ?? 0) + 1) lines.push(line(lines.length));
    return lines;
  };

  it.each<[string, string[]]>([
    [
      "many names for many rules",
      [...fill((index) => `user-agent:${index.toString(36)}`, size / 2), ...fill(() => "allow:/", size / 2)],
    ],
    ["many rules with a star", ["user-agent:*", ...fill(() => "allow:*a*b", size)]],
    ["one rule of stars", ["user-agent:*", `allow:/${"*".repeat(size)}x`]],
    ["one rule of pieces", ["user-agent:*", `allow:/${"*a".repeat(size / 2)}x`]],
    ["many rules of pieces", ["user-agent:*", ...fill(() => `allow:/${"*a".repeat(1_000)}b`, size)]],
    ["percent signs", ["user-agent:*", `allow:/${"%".repeat(size)}`]],
    ["line ends", ["\r".repeat(size)]],
  ])("is parsed in bounded time: %s", (_what, lines) => {
    expect(isAllowed(lines, `/${"a".repeat(2_000)}`)).toBe(true);
  });

  it("any bytes can be parsed", () => {
    fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => typeof isAllowed(text) === "boolean"));
  });
});
