import { describe, expect, test } from "vitest";
import { directoryHref, maxSearchLength, readDirectoryQuery } from "#lib/tracking/vendors/index";

const all = { q: "", category: null, status: null, sort: "changed", page: 1, invalid: [] as string[] } as const;

describe("the directory's query", () => {
  test("selects every vendor by default", () => expect(readDirectoryQuery({})).toEqual(all));

  test("includes search, filters, order and page", () => {
    const given = { q: " quarry ", category: "data-analytics", status: "paused", sort: "name", page: "3" };
    const read = { q: "quarry", category: "data-analytics", status: "paused", sort: "name", page: 3, invalid: [] };
    expect(readDirectoryQuery(given)).toEqual(read);
  });

  test.each([{ q: "\0" }, { utm_source: "mail" }])("ignores %j", (given) =>
    expect(readDirectoryQuery(given)).toEqual(all),
  );

  const pages = [{ page: "0" }, { page: "-1" }, { page: "1e3" }, { page: "2.5" }, { page: "99999999999" }];
  test.each([{ category: "nothing" }, { status: "gone" }, { sort: "size" }, ...pages])(
    "ignores %j, and says so",
    (given) => {
      const { invalid, ...query } = readDirectoryQuery(given);
      expect({ ...query, invalid: [] }).toEqual(all);
      expect(invalid).toEqual([expect.stringContaining(`${Object.keys(given)[0]}=`)]);
    },
  );

  test("uses the first of repeated values", () => {
    expect(readDirectoryQuery({ q: ["a", "b"], page: ["2", "9"], category: [] })).toEqual({ ...all, q: "a", page: 2 });
  });

  test("limits the search text", () => {
    expect(readDirectoryQuery({ q: "x".repeat(10_000) }).q).toHaveLength(maxSearchLength);
  });

  test("is written without defaults and reads back the same", () => {
    expect(directoryHref({ ...all })).toBe("/vendors");
    for (const query of [
      { ...all, q: "a&b=c #ä", page: 2 },
      { ...all, category: "ai-platform", status: "unreachable", sort: "name" } as const,
    ]) {
      const { searchParams } = new URL(directoryHref(query), "http://127.0.0.1");
      expect(readDirectoryQuery(Object.fromEntries(searchParams))).toEqual(query);
    }
  });
});
