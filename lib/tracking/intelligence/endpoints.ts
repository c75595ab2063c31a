import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { intelligenceQuerySchema, intelligenceSchema } from "./schemas";

export const listReportsEndpoint = defineEndpoint({
  id: "listReports",
  method: "GET",
  path: "/api/v1/intelligence",
  tag: "Vendors",
  summary: "List intelligence reports",
  description:
    "Returns reports on the meaning of changes to vendors' files, newest first. Requires the starter tier, which includes 90 days of reports; pro includes all.",
  auth: "optional",
  minimumTier: { tier: "starter", code: "forbidden" },
  limited: true,
  query: intelligenceQuerySchema,
  responses: {
    200: jsonResponse("The reports.", intelligenceSchema, {
      _meta: {
        service: "tapedeck",
        tier: "starter",
        count: 1,
        next_cursor: null,
        last_fetched_at: "2026-11-21T09:00:00.000Z",
        filters: {
          vendor: "tallypay",
          since: "2026-08-23T09:30:00.000Z",
          min_significance: 1,
          category: null,
          limit: 50,
          history_days: 90,
        },
      },
      intelligence: [
        {
          id: "019aa4f2-6c40-7000-8000-4d0f5b1e2c37",
          vendor: { name: "Tallypay (sample)", slug: "tallypay", domain: "tallypay.example" },
          summary: "Fees rise from 1.2 to 1.4 %. Adds 1 link: Volume pricing.",
          significance: 4,
          categories: ["pricing-change"],
          sections_added: [],
          sections_removed: [],
          sections_modified: ["Fees"],
          key_quotes: ["- [Fees](https://docs.tallypay.example/fees): card payments cost 1.4 % from January on"],
          byte_size_change_pct: 1.42,
          analysis_mode: "realtime",
          created_at: "2026-11-21T09:07:12.480Z",
          diff_id: "019aa5c2-7f10-7c3e-8f2a-5d1c0b7e9a44",
        },
      ],
    }),
  },
  errors: {
    bad_request: "`vendor`, `since`, `min_significance`, `category` or `limit` is invalid, or a parameter is repeated.",
    invalid_cursor: "`cursor` is not a UUID.",
  },
});

export const intelligenceEndpoints = [listReportsEndpoint];
