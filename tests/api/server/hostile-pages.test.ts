import { describe, expect, inject, it } from "vitest";
import { isExtended } from "#tests/support/extended";

/** Segments that name no vendor, version, change, cassette or docs page, percent-encoded. */
const segments = ["a%00b", "UPPER", "x".repeat(3_000)];
if (isExtended) {
  segments.push("%00", "%2500");
  segments.push(..."%01 %20 %25 %2e%2e%2f %5C %22%3E%3Cscript%3E %EF%BF%BD %E2%80%AE a.b __proto__".split(" "));
  segments.push("%F0%9F%98%80");
}
/** A name that a vendor or cassette could have, but none has. Its share image is that of the site. */
const unknownName = "00000000-0000-0000-0000-00000000000g";
/** The encoding of a lone surrogate, and other bytes that are not UTF-8. */
const undecodable = ["%ED%A0%80", ...(isExtended ? ["%ff", "%C0%80"] : [])];

const id = "01997a3c-5f0e-7b52-8d10-6f1f5b3c9a41";

/** Every page and share image with parameters in its path. Endpoints are in tests/unit/server/http/declared-answers.test.ts. */
const templates: ((segment: string) => string)[] = [
  (segment) => `/vendors/${segment}`,
  (segment) => `/vendors/${segment}/snapshots`,
  (segment) => `/vendors/${segment}/snapshots/${id}`,
  (segment) => `/vendors/quarrydb/snapshots/${segment}`,
  (segment) => `/vendors/${segment}/compare`,
  (segment) => `/vendors/quarrydb/compare?from=${segment}&to=${segment}`,
  (segment) => `/vendors/${segment}/diffs/${id}`,
  (segment) => `/vendors/quarrydb/diffs/${segment}`,
  (segment) => `/vendors/${segment}/feed.xml`,
  (segment) => `/replay/${segment}/nda-review`,
  (segment) => `/replay/legal/${segment}`,
  (segment) => `/embed/legal/${segment}`,
  (segment) => `/docs/${segment}`,
  (segment) => `/docs/${segment}.md`,
  (segment) => `/docs/api/${segment}`,
  (segment) => `/og/vendors/${segment}`,
  (segment) => `/og/vendors/${segment}.png`,
  (segment) => `/og/vendors/${segment}/diffs/${id}.png`,
];

const statusOf = async (path: string) => (await fetch(`${inject("baseUrl")}${path}`)).status;

async function statusesOf(paths: readonly string[]): Promise<[path: string, status: number][]> {
  const found: [string, number][] = [];
  for (const path of paths) found.push([path, await statusOf(path)]);
  return found;
}

describe("a page or share image whose path names nothing", () => {
  it.each(templates.map((page) => [page("…"), page] as const))("answers %s with 404", async (_name, page) => {
    const names = isExtended && !page("").startsWith("/og/") ? [...segments, unknownName] : segments;
    const pages = await statusesOf(names.map(page));
    expect(pages).toEqual(pages.map(([path]) => [path, 404]));
  });

  it("answers 404 to share images of any path with control characters", async () => {
    const found = await statusesOf([
      "/og/%00",
      "/og/docs/%00",
      "/og/docs/a%1f.png",
      "/og/replay/legal/%7F",
      "/og/%2500",
    ]);
    expect(found).toEqual(found.map(([path]) => [path, 404]));
  });

  it.each(["/%", "/vendors/%", "/docs/%ff?q=%", "/replay/legal/a%zz"])(
    "answers %s with the site's page for a browser, and with JSON for other clients",
    async (path) => {
      const open = (accept: string) => fetch(`${inject("baseUrl")}${path}`, { headers: { accept } });
      const page = await open("text/html,application/xhtml+xml,*/*;q=0.8");
      expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(await page.text()).toContain("</html>");
      const refused = await open("*/*");
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: "bad_request" }]);
    },
  );

  it("answers 400 if the path is not percent-encoded UTF-8", async () => {
    const found = await statusesOf(undecodable.flatMap((segment) => templates.map((page) => page(segment))));
    const isInQuery = (path: string) => path.includes("?");
    expect(found).toEqual(found.map(([path]) => [path, isInQuery(path) ? 404 : 400]));
  });
});

describe("a page with parameters that mean nothing", () => {
  const values = ["%00", "%ED%A0%80", "99999999999", "x".repeat(10_000)];
  if (isExtended) values.push("a%00b", "-1", "1e309", "%3Cscript%3E");
  it.each([
    ["/vendors", ["q", "category", "status", "sort", "page"]],
    ["/changes", ["vendor", "category", "min_significance", "cursor"]],
    ["/vendors/quarrydb/snapshots", ["cursor"]],
    ["/vendors/quarrydb/compare", ["view", "hunks"]],
    ["/replay", ["vertical", "end", "feature", "provenance", "page"]],
    ["/replay/legal/nda-review", ["t", "speed", "autoplay"]],
    ["/embed/legal/nda-review", ["t", "speed", "autoplay", "theme"]],
    ["/docs/search-results", ["q"]],
    ["/welcome", ["session_id"]],
  ])("is shown: %s", async (path, names) => {
    // By default every second value of each parameter, in turn, so that each page gets all of them.
    const valuesOf = (at: number) => values.filter((_value, index) => isExtended || index % 2 === at % 2);
    const queries = names.flatMap((name, at) => [
      ...valuesOf(at).map((value) => `${name}=${value}`),
      `${name}=a&${name}=%00`,
    ]);
    const found = await statusesOf(queries.map((query) => `${path}?${query}`));
    expect(found).toEqual(found.map(([tried]) => [tried, 200]));
  });
});
