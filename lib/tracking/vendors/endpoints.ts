import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { exampleDiff } from "#lib/tracking/diffs/index";
import { exampleSnapshot, exampleSnapshotMeta } from "#lib/tracking/snapshots/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { customVendorEndpoints } from "./custom/endpoints";
import {
  maxListedVendorCount,
  statsSchema,
  vendorAnswerSchema,
  vendorListQuerySchema,
  vendorListSchema,
  vendorSearchQuerySchema,
  vendorSearchSchema,
} from "./schemas";

const shared = { method: "GET", tag: "Vendors", auth: "none", recognizesKey: true } as const;
const noDatabase = { service_unavailable: "No database is configured." } as const;

const summary = { name: "QuarryDB", slug: "quarrydb", domain: "quarrydb.example", category: "database" } as const;

export const listVendorsEndpoint = defineEndpoint({
  ...shared,
  id: "listVendors",
  path: "/api/v1/vendors",
  summary: "List active vendors",
  description: `Returns the active vendors by slug, each with its latest snapshot: all of them up to ${maxListedVendorCount}, or a page. Use the search to find paused and unreachable vendors. No key is needed; with a valid one, vendors that its account has added are included.`,
  query: vendorListQuerySchema,
  responses: {
    200: jsonResponse("The vendors.", vendorListSchema, {
      count: 1,
      vendors: [{ ...summary, latest: exampleSnapshotMeta }],
    }),
  },
  errors: { bad_request: "`limit` or `offset` is not a number in its range.", ...noDatabase },
});

export const searchVendorsEndpoint = defineEndpoint({
  ...shared,
  id: "searchVendors",
  path: "/api/v1/vendors/search",
  summary: "Search vendors",
  description:
    "Returns a page of the vendors that match all filters, by slug. A page with fewer vendors than `limit` is the last. `count` is the number of vendors in the response. With a valid key, vendors that its account has added are included.",
  query: vendorSearchQuerySchema,
  responses: {
    200: jsonResponse("A page of vendors.", vendorSearchSchema, {
      _meta: { count: 1, filters: { q: "quarry", category: null, status: "active", limit: 50, offset: 0 } },
      vendors: [{ ...summary, status: "active" }],
    }),
  },
  errors: { ...noDatabase, bad_request: "A filter is invalid; the message names the allowed values." },
});

export const getVendorEndpoint = defineEndpoint({
  ...shared,
  id: "getVendor",
  path: "/api/v1/vendors/{slug}",
  summary: "Get a vendor",
  description:
    "Returns a vendor of any status with its ten latest snapshots, without their content, and its ten latest diffs. A vendor that an account has added is found with its keys alone.",
  params: vendorParamsSchema,
  responses: {
    200: jsonResponse("The vendor.", vendorAnswerSchema, {
      vendor: {
        ...summary,
        status: "active",
        llms_txt_url: "https://quarrydb.example/llms.txt",
        llms_full_txt_url: null,
      },
      snapshots: [exampleSnapshot],
      diffs: [exampleDiff],
    }),
  },
  errors: { ...noDatabase, not_found: "No vendor has this slug." },
});

export const getStatsEndpoint = defineEndpoint({
  ...shared,
  id: "getStats",
  path: "/api/v1/stats",
  summary: "Get statistics",
  description:
    "Returns how many vendors, snapshots, diffs and bytes are tracked. With a valid key, vendors that its account has added are counted.",
  responses: {
    200: jsonResponse("The statistics.", statsSchema, {
      vendors: 8,
      snapshots: 61,
      diffs: 53,
      total_bytes_tracked: 348_160,
      category_breakdown: {
        "ai-platform": 1,
        "developer-tools": 1,
        database: 1,
        payments: 1,
        cloud: 1,
        "data-analytics": 1,
        integration: 1,
        security: 1,
      },
      status_breakdown: { active: 8, paused: 0, unreachable: 0 },
    }),
  },
  errors: noDatabase,
});

export const vendorEndpoints = [
  listVendorsEndpoint,
  searchVendorsEndpoint,
  getVendorEndpoint,
  getStatsEndpoint,
  ...customVendorEndpoints,
];
