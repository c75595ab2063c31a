import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import {
  addVendorBodySchema,
  customVendorListSchema,
  maxAddedPerMinute,
  maxCustomCount,
  renameVendorBodySchema,
  vendorAdditionSchema,
  vendorRemovalSchema,
  vendorRenamingSchema,
} from "./schemas";

const minimumTier = { tier: "pro", code: "forbidden" } as const;
/** Listing and removing work on every tier, so also after one with vendors of its own has ended. */
const ofAnyTier = { tag: "Vendors", auth: "required", limited: true } as const;
const shared = { ...ofAnyTier, minimumTier } as const;

const vendor = {
  name: "Acme docs",
  slug: "acme-docs-93e5c7f1",
  domain: "docs.example.com",
  category: "developer-tools",
  status: "active",
  llms_txt_url: "https://docs.example.com/llms.txt",
  llms_full_txt_url: null,
} as const;
const addedAt = "2026-11-21T09:00:00.000Z";

export const addVendorEndpoint = defineEndpoint({
  ...shared,
  id: "addVendor",
  method: "POST",
  path: "/api/v1/vendors",
  summary: "Add a vendor of your own",
  description: `Tracks a URL for the account of the calling key. Only its keys see the vendor. It is due at once; \`fetch\` tells when the fetch is expected, or that fetching is off on this server. An account can have ${maxCustomCount} vendors of its own and add ${maxAddedPerMinute} a minute.`,
  body: addVendorBodySchema,
  bodyExample: { url: vendor.llms_txt_url, name: vendor.name, category: vendor.category },
  responses: {
    200: jsonResponse(
      "The account has a vendor of this URL already, or everybody sees one. Nothing was changed.",
      vendorAdditionSchema,
      {
        vendor,
        fetch: { at: "2026-11-21T15:00:00.000Z", note: "The URL is tracked already. A worker fetches it then." },
      },
    ),
    201: jsonResponse("The vendor was added.", vendorAdditionSchema, {
      vendor,
      fetch: { at: addedAt, note: "A worker fetches it within seconds." },
    }),
  },
  errors: {
    bad_request:
      "The body is invalid: `url` is missing, does not start with `http://` or `https://`, is not public or cannot be resolved; or `name` or `category` is not valid.",
    payload_too_large: "The body is larger than 64 KiB.",
    conflict: `The account has ${maxCustomCount} vendors of its own.`,
    rate_limited: `The account has added ${maxAddedPerMinute} vendors in this minute.`,
  },
});

export const listCustomVendorsEndpoint = defineEndpoint({
  ...ofAnyTier,
  id: "listCustomVendors",
  method: "GET",
  path: "/api/v1/vendors/custom",
  summary: "List the vendors of your own",
  description:
    "Returns the vendors that the account of the calling key has added, of any status, newest first, how their fetches go, and, from pro on, their latest changes.",
  responses: {
    200: jsonResponse("The vendors.", customVendorListSchema, {
      count: 1,
      limit: maxCustomCount,
      vendors: [
        {
          ...vendor,
          created_at: addedAt,
          last_fetched_at: "2026-11-21T09:00:01.412Z",
          next_fetch_at: "2026-11-21T15:02:00.000Z",
          failure: null,
          latest_change: {
            id: "019aa5d4-9d90-7a02-9b1c-2d3e4f506172",
            created_at: "2026-11-21T09:00:01.400Z",
            lines_added: 4,
            lines_removed: 0,
            summary: "Adds the section Batches with 2 links.",
            significance: 2,
          },
        },
      ],
    }),
  },
  errors: {},
});

export const renameVendorEndpoint = defineEndpoint({
  ...shared,
  id: "renameVendor",
  method: "PATCH",
  path: "/api/v1/vendors/{slug}",
  summary: "Rename a vendor of your own",
  description: "Changes the name of a vendor that the account of the calling key has added. Its slug and history stay.",
  params: vendorParamsSchema,
  body: renameVendorBodySchema,
  bodyExample: { name: vendor.name },
  responses: { 200: jsonResponse("The vendor was renamed.", vendorRenamingSchema, { vendor }) },
  errors: {
    bad_request: "`name` is missing or not valid.",
    payload_too_large: "The body is larger than 64 KiB.",
    not_found: "The account has added no vendor with this slug.",
  },
});

export const removeVendorEndpoint = defineEndpoint({
  ...ofAnyTier,
  id: "removeVendor",
  method: "DELETE",
  path: "/api/v1/vendors/{slug}",
  summary: "Remove a vendor of your own",
  description: "Removes a vendor that the account of the calling key has added, with its whole history.",
  params: vendorParamsSchema,
  responses: {
    200: jsonResponse("The vendor was removed.", vendorRemovalSchema, { removed: true, slug: vendor.slug }),
  },
  errors: { not_found: "The account has added no vendor with this slug." },
});

export const customVendorEndpoints = [
  addVendorEndpoint,
  listCustomVendorsEndpoint,
  renameVendorEndpoint,
  removeVendorEndpoint,
];
