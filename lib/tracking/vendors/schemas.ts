import * as z from "zod";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { diffDetailSchema } from "#lib/tracking/diffs/index";
import { snapshotDetailSchema, snapshotMetaSchema } from "#lib/tracking/snapshots/index";
import { filterTextSchema } from "#lib/tracking/vendor-access/index";

/** Returns a name in lower case, without accents, its words joined by hyphens. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return (plain.match(/[a-z0-9]+/g) ?? []).join("-");
}

export const vendorCategories = [
  "ai-platform",
  "developer-tools",
  "database",
  "payments",
  "cloud",
  "data-analytics",
  "integration",
  "security",
] as const;
export const vendorCategorySchema = z.enum(vendorCategories).meta({ id: "VendorCategory" });
export type VendorCategory = z.infer<typeof vendorCategorySchema>;

export const vendorStatuses = ["active", "paused", "unreachable"] as const;
export const vendorStatusSchema = z.enum(vendorStatuses).meta({ id: "VendorStatus" });
export type VendorStatus = z.infer<typeof vendorStatusSchema>;

const summaryFields = { name: z.string(), slug: z.string(), domain: z.string(), category: vendorCategorySchema };

export const vendorSummarySchema = z
  .object(summaryFields)
  .meta({ id: "VendorSummary", description: "A vendor's name, slug, domain and category." });
export type VendorSummary = z.infer<typeof vendorSummarySchema>;

const count = z.int().min(0);

/** Most vendors that the list returns. */
export const maxListedVendorCount = 10_000;

export const vendorListItemSchema = z
  .object({ ...summaryFields, latest: snapshotMetaSchema.nullable() })
  .meta({ id: "VendorListItem", description: "A vendor with its latest snapshot, null before the first." });

export const vendorListSchema = z
  .object({ count, vendors: z.array(vendorListItemSchema) })
  .meta({ id: "VendorList", description: "The active vendors, by slug." });
export type VendorList = z.infer<typeof vendorListSchema>;

/** Largest offset of a search. */
const maxOffset = 999_999_999;

export const vendorListQuerySchema = z.object({
  limit: wholeNumberSchema(
    { minimum: 1, maximum: maxListedVendorCount, default: maxListedVendorCount },
    "Maximum number of vendors to return.",
  ),
  offset: wholeNumberSchema({ minimum: 0, maximum: maxOffset, default: 0 }, "Number of vendors to skip."),
});
export type VendorListQuery = z.infer<typeof vendorListQuerySchema>;

export const vendorSearchQuerySchema = z.object({
  q: filterTextSchema
    .optional()
    .meta({ description: "Matches any part of name, slug or domain, ignoring case.", examples: ["quarry"] }),
  category: vendorCategorySchema.optional().describe("Only vendors of this category."),
  status: vendorStatusSchema.default("active").describe("Only vendors with this status. Default: `active`."),
  limit: wholeNumberSchema({ minimum: 1, maximum: 100, default: 50 }, "Maximum number of vendors to return."),
  offset: wholeNumberSchema({ minimum: 0, maximum: maxOffset, default: 0 }, "Number of vendors to skip."),
});
export type VendorSearchQuery = z.infer<typeof vendorSearchQuerySchema>;

export const vendorSearchItemSchema = z
  .object({ ...summaryFields, status: vendorStatusSchema })
  .meta({ id: "VendorSearchItem", description: "A vendor in a search result." });

export const vendorSearchSchema = z
  .object({
    _meta: z.object({
      count: count.describe("Vendors in this response."),
      filters: z.object({
        q: z.string().nullable(),
        category: vendorCategorySchema.nullable(),
        status: vendorStatusSchema,
        limit: z.int().min(1).max(100),
        offset: count,
      }),
    }),
    vendors: z.array(vendorSearchItemSchema),
  })
  .meta({ id: "VendorSearch", description: "A page of search results, by slug." });
export type VendorSearch = z.infer<typeof vendorSearchSchema>;

export const vendorDetailSchema = z
  .object({
    ...summaryFields,
    status: vendorStatusSchema,
    llms_txt_url: z.url(),
    llms_full_txt_url: z.url().nullable(),
    failure: z.string().optional().describe("Why the last fetch failed, such as `http_404`; absent if it did not."),
    failing_since: z.iso.datetime().optional().describe("Time of the first failed fetch since the last good one."),
  })
  .meta({ id: "VendorDetail", description: "A vendor and the URLs of its files." });

/** Most snapshots, and most diffs, in a vendor's detail. */
export const recentCount = 10;

export const vendorAnswerSchema = z
  .object({
    vendor: vendorDetailSchema,
    snapshots: z.array(snapshotDetailSchema).max(recentCount),
    diffs: z.array(diffDetailSchema).max(recentCount),
  })
  .meta({ id: "VendorAnswer", description: "A vendor with its latest snapshots and diffs, newest first." });
export type VendorAnswer = z.infer<typeof vendorAnswerSchema>;

export const statsSchema = z
  .object({
    vendors: count.describe("Active vendors."),
    snapshots: count,
    diffs: count,
    total_bytes_tracked: count.describe("Total size of all snapshots in bytes, before compression."),
    category_breakdown: z
      .record(vendorCategorySchema, count)
      .describe("Active vendors per category; they add up to `vendors`."),
    status_breakdown: z.record(vendorStatusSchema, count).describe("Vendors per status."),
  })
  .meta({ id: "Stats", description: "Statistics of the tracked vendors, without those owned by an account." });
export type Stats = z.infer<typeof statsSchema>;

type Underscored<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}_${Underscored<Tail>}`
  : Text;

/** A category as the database client spells it, with underscores. */
type StoredCategory = VendorCategory extends infer Category ? Underscored<Category & string> : never;

export function storedCategory(category: VendorCategory): StoredCategory {
  return category.replaceAll("-", "_") as StoredCategory;
}

export function categoryOf(stored: StoredCategory): VendorCategory {
  return stored.replaceAll("_", "-") as VendorCategory;
}
