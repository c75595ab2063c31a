import { beforeAll, describe, expect, it } from "vitest";
import { type CassetteSummary, catalogue } from "#lib/replay/cassettes/index";
import { bundledIds, countBundled } from "#tests/support/bundled-cassettes";
import { galleryPath, matchesFilters, parseFilters } from "../../../app/(site)/replay/filters";

let summaries: readonly CassetteSummary[];
beforeAll(async () => {
  summaries = await catalogue().list();
});

const shown = (query: Record<string, string>) =>
  summaries.filter((summary) => matchesFilters(summary, parseFilters(query, "legal").filters)).map(({ id }) => id);

describe("the gallery's filters", () => {
  it("show the site's own vertical by default", () => {
    expect(shown({}).every((id) => id.startsWith("legal/"))).toBe(true);
    expect(shown({})).toHaveLength(countBundled("legal"));
    expect(shown({ vertical: "all" })).toHaveLength(bundledIds.length);
    expect(shown({ vertical: "nonsense" })).toEqual(shown({}));
    expect(parseFilters({ vertical: "nonsense" }, "legal").invalid).toEqual([
      'The filter “vertical=nonsense” is ignored: it must be one of "all", "legal", "finance", "small-business", "developer-tools".',
    ]);
  });

  it("select by protocol, end, feature and provenance", () => {
    const byProtocol = ["anthropic", "openai-chat", "openai-responses", "gemini", "ollama"].map(
      (protocol) => shown({ vertical: "all", protocol }).length,
    );
    expect(Math.min(...byProtocol)).toBeGreaterThan(0);
    expect(byProtocol.reduce((sum, count) => sum + count)).toBe(bundledIds.length);
    expect(shown({ vertical: "all", end: "error" })).toEqual(["developer-tools/ci-diagnosis-overloaded"]);
    expect(shown({ vertical: "all", feature: "citations" })).toEqual([
      "finance/working-capital-report",
      "legal/nda-review",
      "small-business/card-reader-fees",
    ]);
    expect(shown({ vertical: "developer-tools", feature: "tools" })).toEqual([
      "developer-tools/release-regression",
      "developer-tools/release-regression-2",
      "developer-tools/slow-query-index",
    ]);
    expect(shown({ vertical: "developer-tools", feature: "thinking" })).toHaveLength(2);
    expect(shown({ vertical: "all", provenance: "recorded" })).toEqual([]);
  });

  it("round-trip through the URL", () => {
    const own = parseFilters({ vertical: "workshop" }, "legal", ["workshop"]);
    expect(own).toMatchObject({ filters: { vertical: "workshop" }, invalid: [] });
    const { filters } = parseFilters({ vertical: "finance", feature: "thinking" }, "legal");
    const query = Object.fromEntries(new URL(galleryPath(filters, 2), "http://x").searchParams);
    expect(query.page).toBe("2");
    expect(parseFilters(query, "legal")).toEqual({ filters, page: 2, invalid: [] });
  });
});
