import * as z from "zod";
import type { CallContext } from "#lib/accounts/keys/index";
import {
  countPosition,
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  readCursor,
  slugPosition,
  writeCursor,
} from "#lib/contract/cursor";
import { firstFitting } from "#lib/contract/fit-json";
import { defineTool, maxResultLength, reads } from "#lib/contract/tool";
import { getStats } from "./get-stats";
import { listVendors, searchVendors } from "./read-vendors";
import {
  statsSchema,
  vendorCategorySchema,
  vendorListItemSchema,
  vendorSearchItemSchema,
  vendorStatusSchema,
} from "./schemas";

/** Characters available for the list; the rest is for the result's other fields. */
const maxListLength = maxResultLength - 1_000;
const maxPageSize = 50;
const maxListSize = 200;

const missHint =
  "No vendor matches: try a shorter part of its name, or other filters. list_vendors lists all; at /api/mcp, search also finds misspelt names.";

const count = z.int().min(0).describe("Vendors on this page.");

export const listVendorsTool = defineTool({
  name: "list_vendors",
  title: "List vendors",
  description:
    "Lists the active vendors whose llms.txt is tracked, by slug, each with its latest snapshot. Use it to see which vendors are tracked. To find a vendor by name, domain, category or status, use search_vendors; for changes, use get_feed or get_diff_summary. Example: {}",
  annotations: reads,
  input: z.strictObject({ limit: limitSchema(maxListSize), cursor: cursorSchema }),
  output: z.object({
    count,
    total: z.int().min(0).describe("Vendors on all pages."),
    vendors: z.array(vendorListItemSchema),
    next_cursor: nextCursorSchema,
  }),
  async run(context: CallContext, { limit, cursor }) {
    const after = readCursor(cursor, { scope: "list_vendors", form: slugPosition }) ?? "";
    const all = (await listVendors(context)).vendors;
    const rest = all.filter(({ slug }) => slug > after).sort((a, b) => (a.slug < b.slug ? -1 : 1));
    const vendors = firstFitting(rest.slice(0, limit), maxListLength);
    const last = vendors.length < rest.length ? vendors.at(-1) : undefined;
    const next_cursor = last ? writeCursor("list_vendors", last.slug) : null;
    return { count: vendors.length, total: all.length, vendors, next_cursor };
  },
});

export const searchVendorsTool = defineTool({
  name: "search_vendors",
  title: "Search vendors",
  description:
    'Finds vendors by part of their name, slug or domain, by category and by status. Returns their slugs, which other tools take as input. Does not search the content of their files: read those with get_vendor_content. Example: {"query": "quarry", "category": "database"}',
  annotations: reads,
  input: z.strictObject({
    query: z
      .string()
      .max(200)
      .refine((text) => !text.includes("\0"), "must not contain NUL")
      .optional()
      .describe("Matches any part of name, slug or domain, ignoring case. Default: every vendor."),
    category: vendorCategorySchema.optional().describe("Only vendors of this category."),
    status: vendorStatusSchema
      .default("active")
      .describe("active: fetched regularly; paused: not fetched; unreachable: fetches have failed for a day or more."),
    limit: limitSchema(maxPageSize, 20),
    cursor: cursorSchema,
  }),
  formerNames: { q: "query" },
  output: z.object({
    count,
    vendors: z.array(vendorSearchItemSchema),
    next_cursor: nextCursorSchema,
    hint: z.string().optional().describe("What to try, if no vendor matches."),
  }),
  async run(context: CallContext, { query: q, category, status, limit, cursor }) {
    const scope = `search_vendors ${JSON.stringify([q, category, status])}`;
    const offset = Number(readCursor(cursor, { scope, form: countPosition }) ?? 0);
    const query = { ...(q !== undefined && { q }), ...(category && { category }), status, limit: limit + 1, offset };
    const found = (await searchVendors(context, { query })).vendors;
    const vendors = firstFitting(found.slice(0, limit), maxListLength);
    const isMore = vendors.length < found.length;
    const next_cursor = isMore ? writeCursor(scope, String(offset + vendors.length)) : null;
    const isMiss = found.length === 0 && offset === 0;
    return { count: vendors.length, vendors, next_cursor, ...(isMiss && { hint: missHint }) };
  },
});

const getStatsTool = defineTool({
  name: "get_stats",
  title: "Get statistics",
  description:
    "Returns how many vendors, snapshots, diffs and bytes are tracked, and the number of vendors per category and status. Use it for the size of the collection; for the vendors themselves, use list_vendors. Example: {}",
  annotations: reads,
  input: z.strictObject({}),
  output: z.object(statsSchema.shape),
  run: (context: CallContext) => getStats(context),
});

export const vendorTools = [listVendorsTool, searchVendorsTool, getStatsTool];
