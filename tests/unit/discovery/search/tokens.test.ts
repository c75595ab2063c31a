import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queryTerms, tokenize } from "#lib/discovery/search/index";
import { readQuery, termsOf } from "#lib/discovery/search/terms";

describe("tokens", () => {
  it("are lower-case words of a-z0-9 longer than one character, without stopwords", () => {
    const tokens = tokenize("What is the NDA's term in 2026, a B2B-contract?");
    expect(tokens).toEqual(["nda", "term", "2026", "b2b", "contract"]);
    expect(tokenize("the of and a 日本")).toEqual([]);
  });

  it("have this form for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        for (const token of tokenize(text)) expect(token).toMatch(/^[a-z0-9]{2,}$/);
        expect(tokenize(tokenize(text).join(" "))).toEqual(tokenize(text));
      }),
    );
  });
});

describe("terms", () => {
  it("are the same for all forms of a word", () => {
    const forms = ["replay", "replays", "replayed", "replaying"];
    expect(new Set(forms.flatMap(termsOf)).size).toBe(1);
    expect(termsOf("clauses and notices, constructors")).toEqual(termsOf("clause notice constructor"));
  });

  it("are the same when computed again, also after many other words", () => {
    const before = termsOf("generously vacated premises");
    for (let index = 0; index < 70_000; index++) termsOf(`filling${index}`);
    expect(termsOf("generously vacated premises")).toEqual(before);
  });

  it("leave words of more than forty letters unchanged", () => {
    const long = `${"e".repeat(40)}ing`;
    expect(termsOf(long)).toEqual([long]);
    expect(termsOf("u".repeat(50_000))).toHaveLength(1);
  });

  it("of a query have their frequency, and are limited to the first ones", () => {
    expect([...queryTerms("lease break leases the")]).toEqual([
      ["leas", 2],
      ["break", 1],
    ]);
    expect([...readQuery("one leases one three lease four", 2)]).toEqual([
      ["one", { weight: 2, token: "one" }],
      ["leas", { weight: 2, token: "leases" }],
    ]);
  });
});
