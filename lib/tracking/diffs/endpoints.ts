import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { diffAnswerSchema, diffParamsSchema, vendorDiffsQuerySchema, vendorDiffsSchema } from "./schemas";

/** A diff, for the document of the API. */
export const exampleDiff = {
  id: "019aa5c2-7f10-7c3e-8f2a-5d1c0b7e9a44",
  previous_snapshot_id: "019a9c01-1b20-7a11-9c5d-2e4f6a8b0c1d",
  current_snapshot_id: "019aa5c2-7f0f-7b02-a1d4-93e5c7f10b26",
  lines_added: 1,
  lines_removed: 0,
  links_added: ["https://quarrydb.example/docs/branches"],
  links_removed: [],
  created_at: "2026-11-21T06:00:00.000Z",
};
const { previous_snapshot_id: previousId, current_snapshot_id: currentId, ...counted } = exampleDiff;

export const getDiffEndpoint = defineEndpoint({
  id: "getDiff",
  method: "GET",
  path: "/api/v1/diffs/{id}",
  tag: "Vendors",
  summary: "Get a diff",
  description:
    "Returns what changed between two consecutive snapshots of a vendor's file: line counts, all links, and the two snapshots. A vendor's detail lists the ids.",
  auth: "none",
  recognizesKey: true,
  params: diffParamsSchema,
  paramsErrorCode: "bad_request",
  responses: {
    200: jsonResponse("The diff.", diffAnswerSchema, {
      diff: { ...counted, vendor_slug: "quarrydb" },
      previous_snapshot: { id: previousId, byte_size: 5_120, line_count: 84, fetched_at: "2026-11-21T00:00:00.000Z" },
      current_snapshot: { id: currentId, byte_size: 5_184, line_count: 85, fetched_at: "2026-11-21T09:00:00.000Z" },
    }),
  },
  errors: {
    bad_request: "The id is not a UUID.",
    not_found: "No diff has this id.",
    service_unavailable: "No database is configured.",
  },
});

export const listDiffsEndpoint = defineEndpoint({
  id: "listVendorDiffs",
  method: "GET",
  path: "/api/v1/vendors/{slug}/diffs",
  tag: "Vendors",
  summary: "List a vendor's diffs",
  description:
    "Returns a page of a vendor's diffs within the history of the tier, newest first. From the starter tier on, each includes its unified diff. The free tier covers public vendors only. An account's own vendors are visible to its keys only.",
  auth: "optional",
  limited: true,
  params: vendorParamsSchema,
  query: vendorDiffsQuerySchema,
  responses: {
    200: jsonResponse("A page of diffs.", vendorDiffsSchema, {
      _meta: {
        count: 1,
        next_cursor: null,
        has_more: false,
        tier: "starter",
        last_fetched_at: "2026-11-21T09:00:00.000Z",
      },
      diffs: [
        {
          ...exampleDiff,
          lines_moved: 0,
          exact: true,
          diff_text: "@@ -84,0 +85,1 @@\n+- [Branches](https://quarrydb.example/docs/branches)\n",
        },
      ],
    }),
  },
  errors: {
    bad_request: "`limit` is out of range, or a parameter is repeated.",
    invalid_cursor: "`cursor` is not a UUID.",
    forbidden: "The free tier does not cover this vendor.",
    not_found: "No vendor has this slug.",
  },
});

export const diffEndpoints = [getDiffEndpoint, listDiffsEndpoint];
