import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
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

const noDatabase = { service_unavailable: "No database is configured." } as const;

const summary = { name: "QuarryDB", slug: "quarrydb", domain: "quarrydb.example", category: "database" } as const;

const snapshotMeta = {
  content_hash: "74b7cbdd8b5b49e4a7f34ad2bd0d6a1c1e0c8a0a3b0d9d0f2d6d4c1f5e7a9b83",
  byte_size: 5_184,
  line_count: 85,
  link_count: 41,
  fetched_at: "2026-11-21T09:00:00.000Z",
};

export const listVendorsEndpoint = defineEndpoint({
  id: "listVendors",
  method: "GET",
  path: "/api/v1/vendors",
  tag: "Vendors",
  summary: "List active vendors",
  description: `Returns the active vendors by slug, each with its latest snapshot: all of them up to ${maxListedVendorCount}, or a page. Use the search to find paused and unreachable vendors. No key is needed; with a valid one, vendors that its account has added are included.`,
  auth: "none",
  recognizesKey: true,
  query: vendorListQuerySchema,
  responses: {
    200: jsonResponse("The vendors.", vendorListSchema, { count: 1, vendors: [{ ...summary, latest: snapshotMeta }] }),
  },
  errors: { bad_request: "`limit` or `offset` is not a number in its range.", ...noDatabase },
});

export const searchVendorsEndpoint = defineEndpoint({
  id: "searchVendors",
  method: "GET",
  path: "/api/v1/vendors/search",
  tag: "Vendors",
  summary: "Search vendors",
  description:
    "Returns a page of the vendors that match all filters, by slug. A page with fewer vendors than `limit` is the last. `count` is the number of vendors in the response. With a valid key, vendors that its account has added are included.",
  auth: "none",
  recognizesKey: true,
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
  id: "getVendor",
  method: "GET",
  path: "/api/v1/vendors/{slug}",
  tag: "Vendors",
  summary: "Get a vendor",
  description:
    "Returns a vendor of any status with its ten latest snapshots, without their content, and its ten latest diffs. A vendor that an account has added is found with its keys alone.",
  auth: "none",
  recognizesKey: true,
  params: vendorParamsSchema,
  responses: {
    200: jsonResponse("The vendor.", vendorAnswerSchema, {
      vendor: {
        ...summary,
        status: "active",
        llms_txt_url: "https://quarrydb.example/llms.txt",
        llms_full_txt_url: null,
      },
      snapshots: [
        {
          id: "019aa5c2-7f0f-7b02-a1d4-93e5c7f10b26",
          ...snapshotMeta,
          http_status: 200,
          response_time_ms: 84,
          security_score: 0,
        },
      ],
      diffs: [
        {
          id: "019aa5c2-7f10-7c3e-8f2a-5d1c0b7e9a44",
          previous_snapshot_id: "019a9c01-1b20-7a11-9c5d-2e4f6a8b0c1d",
          current_snapshot_id: "019aa5c2-7f0f-7b02-a1d4-93e5c7f10b26",
          lines_added: 2,
          lines_removed: 1,
          links_added: ["https://quarrydb.example/docs/branches"],
          links_removed: [],
          created_at: "2026-11-21T06:00:00.000Z",
        },
      ],
    }),
  },
  errors: { ...noDatabase, not_found: "No vendor has this slug." },
});

export const getStatsEndpoint = defineEndpoint({
  id: "getStats",
  method: "GET",
  path: "/api/v1/stats",
  tag: "Vendors",
  summary: "Get statistics",
  description:
    "Returns how many vendors, snapshots, diffs and bytes are tracked. With a valid key, vendors that its account has added are counted.",
  auth: "none",
  recognizesKey: true,
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
