import { blockedScore } from "#lib/contract/blocked-content";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { exampleSnapshot } from "#lib/tracking/snapshots/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import {
  comparisonQuerySchema,
  comparisonSchema,
  snapshotContentSchema,
  snapshotParamsSchema,
  vendorSnapshotsQuerySchema,
  vendorSnapshotsSchema,
} from "./schemas";

const newer = { ...exampleSnapshot, created_at: "2026-11-21T06:00:00.000Z" };
const older = {
  ...newer,
  id: "019a9c01-1b20-7a11-9c5d-2e4f6a8b0c1d",
  content_hash: "1f0c8a0a3b0d9d0f2d6d4c1f5e7a9b8374b7cbdd8b5b49e4a7f34ad2bd0d6a1c",
  byte_size: 5_120,
  line_count: 84,
  link_count: 40,
  fetched_at: "2026-11-21T00:00:00.000Z",
  created_at: "2026-11-19T08:00:00.000Z",
};

const shared = { method: "GET", tag: "Vendors", auth: "optional", limited: true } as const;
const tierRules =
  "A snapshot is within the history of a tier if it is the latest one or was replaced within the tier's days. The free tier covers public vendors only. An account's own vendors are visible to its keys only.";
const notCovered = "The free tier does not cover this vendor, or a snapshot is older than the tier's history.";
const noSnapshot = "No vendor has this slug, or the vendor has no such snapshot.";

export const listSnapshotsEndpoint = defineEndpoint({
  ...shared,
  id: "listVendorSnapshots",
  path: "/api/v1/vendors/{slug}/snapshots",
  summary: "List a vendor's snapshots",
  description: `Returns a page of a vendor's snapshots within the history of the tier, newest first, without their content. ${tierRules}`,
  params: vendorParamsSchema,
  query: vendorSnapshotsQuerySchema,
  responses: {
    200: jsonResponse("A page of snapshots.", vendorSnapshotsSchema, {
      _meta: { count: 2, next_cursor: null, has_more: false, tier: "starter" },
      snapshots: [newer, older],
    }),
  },
  errors: {
    bad_request: "`limit` is out of range, or a parameter is repeated.",
    invalid_cursor: "`cursor` is not a UUID.",
    forbidden: "The free tier does not cover this vendor.",
    not_found: "No vendor has this slug.",
  },
});

export const getSnapshotEndpoint = defineEndpoint({
  ...shared,
  id: "getVendorSnapshot",
  path: "/api/v1/vendors/{slug}/snapshots/{id}",
  summary: "Get a version of a vendor's file, wrapped for a model",
  description: `Returns a version of the vendor's \`llms.txt\` in one \`vendor-content\` element, escaped as in \`/api/v1/content/{slug}\`. Content with a security score of ${blockedScore} or more is refused. ${tierRules}`,
  params: snapshotParamsSchema,
  responses: {
    200: {
      description: "The version.",
      headers: {
        "X-Content-Security-Score": {
          description: `Security score of the content, from 0 (safe) to ${blockedScore - 1}; 403 responses for a higher score include it too.`,
          schema: { type: "string", pattern: "^[0-5]$" },
        },
      },
      body: {
        type: "application/json",
        schema: snapshotContentSchema,
        example: {
          content: '<vendor-content source="quarrydb">\n# QuarryDB\n\n> A database.\n\n</vendor-content>',
          snapshot: older,
        },
      },
    },
  },
  errors: {
    bad_request: "The id is not a UUID.",
    forbidden: `${notCovered} Or the content's security score is ${blockedScore} or more.`,
    not_found: noSnapshot,
  },
});

export const compareSnapshotsEndpoint = defineEndpoint({
  ...shared,
  id: "compareVendorSnapshots",
  path: "/api/v1/vendors/{slug}/compare",
  summary: "Compare two snapshots of a vendor",
  description: `Returns the diff of any two snapshots of a vendor, in either order; \`direction\` says which. Equal contents have an empty diff. From the starter tier on, the answer includes the unified diff. It is computed on request, cached, and not stored. ${tierRules}`,
  params: vendorParamsSchema,
  query: comparisonQuerySchema,
  responses: {
    200: jsonResponse("The difference.", comparisonSchema, {
      _meta: { tier: "starter" },
      diff: {
        vendor_slug: "quarrydb",
        direction: "older-to-newer",
        lines_added: 1,
        lines_removed: 0,
        lines_moved: 0,
        exact: true,
        links_added: ["https://quarrydb.example/docs/branches"],
        links_removed: [],
        diff_text: "@@ -84,0 +85,1 @@\n+- [Branches](https://quarrydb.example/docs/branches)\n",
      },
      from_snapshot: older,
      to_snapshot: newer,
    }),
  },
  errors: {
    bad_request: "`from` or `to` is missing, repeated or not a UUID.",
    forbidden: notCovered,
    not_found: noSnapshot,
    service_unavailable:
      "Too many comparisons are waiting, or this one takes longer than five seconds. Try again; a finished one is cached.",
  },
});

export const historyEndpoints = [listSnapshotsEndpoint, getSnapshotEndpoint, compareSnapshotsEndpoint];
