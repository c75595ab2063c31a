import * as z from "zod";
import { defineEndpoint, type HeaderDeclaration, jsonResponse, textBody } from "#lib/contract/endpoint";
import { modelChangeExample } from "#lib/models/index";
import { exampleSnapshotMeta } from "#lib/tracking/snapshots/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { changeListQuerySchema, changesQuerySchema } from "./changes/query";
import { changeListSchema, feedQuerySchema, feedSchema, jsonFeedSchema } from "./schemas";

const tag = "Vendors";

export const getFeedEndpoint = defineEndpoint({
  id: "getFeed",
  method: "GET",
  path: "/api/v1/feed",
  tag,
  summary: "Get the feed",
  description:
    "Returns one entry for each vendor visible to the tier, with its latest snapshot and change, newest snapshot first. Vendors that have not been fetched yet come last, by slug. From the starter tier on, entries include `diff_content`.",
  auth: "optional",
  limited: true,
  query: feedQuerySchema,
  responses: {
    200: jsonResponse("A page of the feed.", feedSchema, {
      _meta: {
        service: "tapedeck",
        version: "1.0",
        count: 1,
        next_cursor: "019aa4f2-6c40-7000-8000-4d0f5b1e2c37",
        has_more: true,
        vendor_count: 8,
        tier: "starter",
        updated_at: exampleSnapshotMeta.fetched_at,
      },
      feed: [
        {
          vendor: { name: "QuarryDB (sample)", slug: "quarrydb", domain: "quarrydb.example", category: "database" },
          latest: exampleSnapshotMeta,
          recent_change: { lines_added: 1, lines_removed: 0, detected_at: "2026-11-20T21:30:00.000Z" },
          diff_content: {
            lines_added: 1,
            lines_removed: 0,
            diff_text: "@@ -12,1 +12,2 @@\n ## Guides\n+- [Branches](https://quarrydb.example/docs/branches.md)\n",
            created_at: "2026-11-20T21:30:00.000Z",
          },
        },
      ],
    }),
  },
  errors: {
    bad_request: "`vendor`, `since` or `limit` is invalid, or a parameter is repeated.",
    invalid_cursor: "`cursor` is not a UUID.",
  },
});

const lastModified: Record<string, HeaderDeclaration> = {
  "Last-Modified": {
    description: "Time of the newest change or report in the feed; absent before the first change.",
    schema: { type: "string" },
  },
};
const conditionHeader: Record<string, HeaderDeclaration> = {
  "If-Modified-Since": {
    description: "Returns 304 if nothing has changed since. Ignored if `If-None-Match` is sent.",
    schema: { type: "string" },
  },
};

const atomResponse = {
  description: "The feed.",
  headers: lastModified,
  body: {
    type: "application/atom+xml",
    schema: z.string(),
    example:
      '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Changes</title></feed>',
  },
};
const jsonFeedResponse = {
  description: "The feed.",
  headers: lastModified,
  body: {
    type: "application/feed+json",
    schema: jsonFeedSchema,
    example: {
      version: "https://jsonfeed.org/version/1.1",
      title: "Tapedeck Developer Tools: changes",
      description: "Changes to the llms.txt files of the tracked vendors, and of models.",
      home_page_url: "http://127.0.0.1:3000/changes",
      feed_url: "http://127.0.0.1:3000/feed.json",
      authors: [{ name: "Tapedeck Developer Tools", url: "http://127.0.0.1:3000/" }],
      language: "en",
      items: [
        {
          id: "urn:uuid:019aa4f2-6c40-7001-8000-4d0f5b1e2c37",
          url: "http://127.0.0.1:3000/vendors/quarrydb/diffs/019aa4f2-6c40-7001-8000-4d0f5b1e2c37",
          external_url: "https://quarrydb.example/llms.txt",
          title: "QuarryDB (sample) (significance 2 of 5): Adds 1 link: Branches.",
          summary: "Adds 1 link: Branches. Significance 2 of 5: content-expansion. 1 line added; 1 link added.",
          content_html:
            '<p>Adds 1 link: Branches.</p><p>Significance 2 of 5: content-expansion.</p><p>1 line added; 1 link added.</p><h4>Links added</h4><ul><li><a href="https://quarrydb.example/docs/branches.md" rel="nofollow noreferrer">https://quarrydb.example/docs/branches.md</a></li></ul>',
          tags: ["database", "content-expansion"],
          date_published: "2026-11-20T21:30:00.000Z",
          date_modified: "2026-11-20T21:30:02.000Z",
          _tapedeck: {
            diff_url: "http://127.0.0.1:3000/api/v1/diffs/019aa4f2-6c40-7001-8000-4d0f5b1e2c37",
            significance: 2,
          },
        },
      ],
    },
  },
};
const noDatabase = "No database is configured.";
const filterText =
  "It needs no key. Entries carry the significance of the change, and the summary and categories of its report where the site shows it without a key: for public vendors, and the newest report of others. The filters are those of the page `/changes`.";
const badFilter = "A filter is invalid or repeated, `to` is before `from`, or there is no such vendor.";

const shared = { method: "GET", tag, auth: "none", requestHeaders: conditionHeader } as const;
const ofAllVendors = {
  ...shared,
  query: changesQuerySchema,
  ignoresEmptyQuery: true,
  errors: { bad_request: badFilter, service_unavailable: noDatabase },
} as const;
const ofOneVendor = {
  ...shared,
  params: vendorParamsSchema,
  errors: { not_found: "No vendor has this slug.", service_unavailable: noDatabase },
} as const;

export const listChangesEndpoint = defineEndpoint({
  ...ofAllVendors,
  id: "listChanges",
  path: "/api/v1/changes",
  recognizesKey: true,
  requestHeaders: undefined,
  query: changeListQuerySchema,
  summary: "List changes",
  description: `Returns the changes that match the filters, newest first, 30 a page: of vendors' files, and with \`models\` only those of models. ${filterText} While a key's tier includes own vendors, the changes of those of its account are included, with all their reports.`,
  responses: {
    200: jsonResponse("The changes.", changeListSchema, {
      _meta: { count: 1, next_cursor: null },
      changes: [
        {
          id: "019aa4f2-6c40-7001-8000-4d0f5b1e2c37",
          vendor: {
            name: "modeldeprecations.dev",
            slug: "modeldeprecations",
            domain: "modeldeprecations.dev",
            category: "ai-platform",
          },
          lines_added: 1,
          lines_removed: 1,
          created_at: "2026-11-21T09:07:12.480Z",
          significance: 5,
          summary: "openai/gpt-5-mini ends on 2026-12-11 instead of 2027-01-15.",
          categories: ["deprecation"],
          url: "http://127.0.0.1:3000/vendors/modeldeprecations/diffs/019aa4f2-6c40-7001-8000-4d0f5b1e2c37",
          models: [modelChangeExample],
          operations: [],
        },
      ],
    }),
  },
});

const exported = { ...ofAllVendors, requestHeaders: undefined, query: changeListQuerySchema } as const;
const exportText = `newest first, the newest 1,000. With more, the header \`Link\` has the address of the next ones. ${filterText}`;
const nextLink: Record<string, HeaderDeclaration> = {
  Link: { description: 'With `rel="next"`, the file with the next changes.', schema: { type: "string" } },
};

export const exportChangesAsCsvEndpoint = defineEndpoint({
  ...exported,
  id: "exportChangesAsCsv",
  path: "/changes.csv",
  summary: "Export changes as CSV",
  description: `Returns the changes that match the filters as CSV with a header line, ${exportText}`,
  responses: {
    200: {
      description: "The changes.",
      headers: nextLink,
      body: textBody(
        "text/csv",
        "id,created_at,vendor,vendor_category,lines_added,lines_removed,significance,categories,summary,models,operations,url\r\n",
      ),
    },
  },
});

export const exportChangesAsJsonLinesEndpoint = defineEndpoint({
  ...exported,
  id: "exportChangesAsJsonLines",
  path: "/changes.jsonl",
  summary: "Export changes as JSON lines",
  description: `Returns the changes that match the filters, one JSON object a line as in \`listChanges\`, ${exportText}`,
  responses: {
    200: {
      description: "The changes.",
      headers: nextLink,
      body: textBody("application/jsonl", '{"id":"019aa4f2-6c40-7001-8000-4d0f5b1e2c37","significance":2}\n'),
    },
  },
});

export const getAtomFeedEndpoint = defineEndpoint({
  ...ofAllVendors,
  id: "getAtomFeed",
  path: "/feed.xml",
  summary: "Get changes as Atom",
  description: `Returns the 50 newest changes that match the filters as Atom 1.0. ${filterText}`,
  responses: { 200: atomResponse },
});

export const getJsonFeedEndpoint = defineEndpoint({
  ...ofAllVendors,
  id: "getJsonFeed",
  path: "/feed.json",
  summary: "Get changes as JSON Feed",
  description: `Returns the 50 newest changes that match the filters as JSON Feed 1.1. ${filterText}`,
  responses: { 200: jsonFeedResponse },
});

export const getVendorAtomFeedEndpoint = defineEndpoint({
  ...ofOneVendor,
  id: "getVendorAtomFeed",
  path: "/vendors/{slug}/feed.xml",
  summary: "Get a vendor's changes as Atom",
  description: "Returns the 10 newest changes of one vendor as Atom 1.0. Not available for an account's own vendors.",
  responses: { 200: atomResponse },
});

export const getVendorJsonFeedEndpoint = defineEndpoint({
  ...ofOneVendor,
  id: "getVendorJsonFeed",
  path: "/vendors/{slug}/feed.json",
  summary: "Get a vendor's changes as JSON Feed",
  description:
    "Returns the 10 newest changes of one vendor as JSON Feed 1.1. Not available for an account's own vendors.",
  responses: { 200: jsonFeedResponse },
});

export const feedEndpoints = [
  getFeedEndpoint,
  listChangesEndpoint,
  exportChangesAsCsvEndpoint,
  exportChangesAsJsonLinesEndpoint,
  getAtomFeedEndpoint,
  getJsonFeedEndpoint,
  getVendorAtomFeedEndpoint,
  getVendorJsonFeedEndpoint,
];
