import * as z from "zod";
import { blockedScore } from "#lib/contract/blocked-content";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { vendorContentSchema } from "./schemas";

/** The metadata of a version and a version, for the document of the API. */
export const exampleSnapshotMeta = {
  content_hash: "74b7cbdd8b5b49e4a7f34ad2bd0d6a1c1e0c8a0a3b0d9d0f2d6d4c1f5e7a9b83",
  byte_size: 5_184,
  line_count: 85,
  link_count: 41,
  fetched_at: "2026-11-21T09:00:00.000Z",
};
export const exampleSnapshot = {
  id: "019aa5c2-7f0f-7b02-a1d4-93e5c7f10b26",
  ...exampleSnapshotMeta,
  http_status: 200,
  response_time_ms: 84,
  security_score: 0,
};

const notFound = "No vendor has this slug, or it has not been fetched yet, or each fetch failed.";

export const getContentEndpoint = defineEndpoint({
  id: "getVendorContent",
  method: "GET",
  path: "/api/v1/vendors/{slug}/content",
  tag: "Vendors",
  summary: "Get a vendor's raw content",
  description:
    "Returns the latest version of the vendor's `llms.txt` as it was fetched, whatever its security score. For content that is given to a model, use `/api/v1/content/{slug}` instead. An account's own vendors are visible to its keys only.",
  auth: "required",
  minimumTier: { tier: "starter", code: "unauthorized" },
  limited: true,
  params: vendorParamsSchema,
  responses: {
    200: jsonResponse("The content.", vendorContentSchema, {
      content: "# QuarryDB\n\n> A database.\n\n- [Guide](https://quarrydb.example/docs/guide)\n",
      metadata: { ...exampleSnapshotMeta, byte_size: 73, line_count: 5, link_count: 1 },
    }),
  },
  errors: { not_found: notFound },
});

export const getSandboxedContentEndpoint = defineEndpoint({
  id: "getSandboxedContent",
  method: "GET",
  path: "/api/v1/content/{slug}",
  tag: "Vendors",
  summary: "Get a vendor's content, wrapped for a model",
  description: `Returns the latest version of the vendor's \`llms.txt\` in one \`vendor-content\` element, so that a model can tell it from its instructions. Anything in the content that could open or close such an element is escaped. Content with a security score of ${blockedScore} or more is refused.`,
  auth: "none",
  recognizesKey: true,
  params: vendorParamsSchema,
  responses: {
    200: {
      description: "The wrapped content.",
      headers: {
        "X-Content-Security-Score": {
          description: `Security score of the content, from 0 (safe) to ${blockedScore - 1}; 403 responses include it too.`,
          schema: { type: "string", pattern: "^[0-5]$" },
        },
      },
      body: {
        type: "text/plain",
        schema: z.string(),
        example:
          '<vendor-content source="quarrydb">\n# QuarryDB\n\n> A database.\n\n- [Guide](https://quarrydb.example/docs/guide)\n\n</vendor-content>',
      },
    },
  },
  errors: {
    forbidden: `The content's security score is ${blockedScore} or more.`,
    not_found: notFound,
    service_unavailable: "No database is configured.",
  },
});

export const snapshotEndpoints = [getContentEndpoint, getSandboxedContentEndpoint];
