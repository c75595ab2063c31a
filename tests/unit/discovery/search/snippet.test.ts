import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexedText, plainText } from "#lib/discovery/search/corpus";
import { maxSnippetLength, snippetOf } from "#lib/discovery/search/search";
import { queryTerms } from "#lib/discovery/search/terms";
import { propertyRuns } from "#tests/support/extended";

const weigh = (query: string) => new Map([...queryTerms(query).keys()].map((term) => [term, 1]));
const filler = (count: number) => "Some words that say nothing of interest. ".repeat(count);

describe("plain text", () => {
  it("is markdown without its markup", () => {
    const markdown = [
      "## The *rent* trap",
      "",
      '> Pay **all** of it, see [the lease](/docs/lease "Lease") and ![a picture](x.png).',
      "",
      "- `GET /api/v1/replay` \\* twice",
      "1. snake_case stays, _this_ does not",
      "",
      "| Week | In |",
      "|---|---:|",
      "| 48 | 38 |",
      "",
      "---",
      "```sh",
      "curl -s x | jq '.[0] # **all**'",
      "```",
    ].join("\n");
    expect(
      plainText(markdown)
        .split(/\s*\n\s*/)
        .map((line) => line.trim())
        .filter(Boolean),
    ).toEqual([
      "The rent trap",
      "Pay all of it, see the lease and a picture.",
      "GET /api/v1/replay * twice",
      "snake_case stays, this does not",
      "48: 38.",
      "curl -s x | jq '.[0] # **all**'",
    ]);
  });

  it("has a sentence for each row of a table, with the columns' names if they are more than two", () => {
    const table = ["| Plan | Price | Note |", "|---|---:|---|", "| free | 0 | |", "| pro | 99 | Best. |", "| | | |"];
    expect(plainText(["Plans:", ...table, "", "| after | the table |"].join("\n")).split(/\s*\n\s*/)).toEqual([
      "Plans:",
      "free - Price: 0.",
      "pro - Price: 99; Note: Best.",
      "after: the table.",
    ]);
    expect(indexedText(table.join("\n")).match(/price/gi)).toHaveLength(1);
    expect(plainText("```\n| a | b |\n|---|---|\n```")).toContain("| a | b |\n|---|---|");
  });

  it("has the text of a link that continues on the next line or contains code", () => {
    expect(plainText("mails of [a daily\ndigest](/docs/email#bounds), and [`x[0]`](/x)")).toBe(
      "mails of a daily\ndigest, and x[0]",
    );
  });

  it("keeps code as it is written", () => {
    expect(plainText("`%` and `_` are `*matched*`, ``a`b`` too, and `[a](b)`")).toBe(
      "% and _ are *matched*, a`b too, and [a](b)",
    );
    expect(plainText("| `a \\| b` | _c_ |")).toBe("a | b: c.");
    expect(plainText("an unclosed ` mark, and **two\nlines**")).toBe("an unclosed  mark, and two\nlines");
  });

  it("takes linear time for marks that never end", () => {
    for (const mark of ["`", "`a", "[", "`` a", "[a](", "[a](x ", "[`", "*a "]) {
      const startedAt = performance.now();
      plainText(mark.repeat(20_000));
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    }
  });

  it("leaves text without markup unchanged", () => {
    const plain = "田中様、12月5日にお越しください。 نعم، لدينا سرير. 5 * 3 = 15 and a_b";
    expect(plainText(plain)).toBe(plain);
  });
});

describe("a snippet", () => {
  it("is the passage that matches most of the query, on one line, with ellipses at its cuts", () => {
    const text = `${filler(20)}\nThe break clause needs\n a notice in writing. ${filler(20)}A clause alone. ${filler(9)}`;
    const snippet = snippetOf(text, weigh("break clause notice"));
    expect(snippet).toMatch(/^….*The break clause needs a notice in writing\..*…$/);
  });

  it("of a table begins with the first cell of a row", () => {
    const rows = ["| `q` | the words |", "| `limit` | a number of hits |", "| `partial` | a flag |"];
    const text = plainText(["| Query | Meaning |", "|---|---|", ...rows].join("\n"));
    const snippet = snippetOf(`${filler(9)}\n${text}\n${filler(9)}`, weigh("number"));
    expect(snippet).toMatch(/^…limit: a number of hits\. partial: a flag\. Some words/);
  });

  it("depends on the weight of the words, not on their number", () => {
    const text = `${filler(9)}page page page page. ${filler(9)}The cassette. ${filler(9)}`;
    const weights = new Map([
      ["page", 0.1],
      ["cassett", 3],
    ]);
    expect(snippetOf(text, weights)).toContain("The cassette.");
  });

  it("is all of a short text, and the beginning of a long one without a match", () => {
    expect(snippetOf("  A short\n\ntext. ", weigh("absent"))).toBe("A short text.");
    expect(snippetOf(filler(20), weigh("absent"))).toMatch(/^Some words .*\S…$/);
    expect(snippetOf("", weigh("absent"))).toBe("");
  });

  it("is short enough, part of the text, and never splits a character, for any text", () => {
    const unit = fc.oneof(
      fc.constantFrom("lease", "break", " ", "\n", ". ", "👩‍👩‍👧‍👦", "田中様", "مساء", "e\u0301", "x".repeat(400)),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 150 }), (units) => {
        const text = units.join("");
        const snippet = snippetOf(text, weigh("lease break"));
        expect(snippet.length).toBeLessThanOrEqual(maxSnippetLength);
        expect(snippet).not.toMatch(/[\n\r]/);
        expect(Buffer.from(snippet).toString()).toBe(Buffer.from(snippet, "utf8").toString());
        expect(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(snippet)).toBe(false);
        const inner = snippet.replace(/^…/, "").replace(/…$/, "");
        expect(text.replace(/\s+/g, " ").includes(inner)).toBe(true);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("is not cut in a URL", () => {
    const url = "https://tapedeck.example.com/api/v1/replay/small-business/multilingual-guest-replies?speed=max";
    for (let shift = 0; shift < 60; shift++) {
      const text = `${"y".repeat(shift)} ${`${url}, `.repeat(30)}lease ${`${url}, `.repeat(30)}`;
      const inner = snippetOf(text, weigh("lease")).replaceAll("…", "").replaceAll(`${url},`, "").trim();
      expect(inner).toBe("lease");
      const word = snippetOf(`${"z ".repeat(90)}http://${"y".repeat(shift / 2)}.example/lease.`, weigh("lease"));
      expect(word).toMatch(/(?:z |…)http:\/\/y*\.example\/lease\.$/);
      const both = `${"z ".repeat(90)}http://${"y".repeat(20)}.example/lease ${"w".repeat(60 + shift)} rental`;
      expect(snippetOf(both, weigh("lease rental"))).toMatch(/lease w+ rental$/);
    }
  });

  it("is cut between words, and never inside a grapheme", () => {
    const family = "👩‍👩‍👧‍👦";
    for (let shift = 0; shift < 30; shift++) {
      const words = snippetOf(`${"y".repeat(shift)} ${"another ".repeat(80)}`, weigh("absent"));
      expect(
        words
          .replace("…", "")
          .trim()
          .split(" ")
          .slice(1)
          .every((word) => word === "another"),
      ).toBe(true);
      const families = snippetOf(`${"y".repeat(shift)} ${family.repeat(60)}`, weigh("absent"));
      expect(families.replace("…", "").replace(/^y* ?/, "").replaceAll(family, "")).toBe("");
    }
  });
});
