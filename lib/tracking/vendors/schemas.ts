import { z } from "zod";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { diffDetailSchema } from "#lib/tracking/diffs/index";
import { snapshotDetailSchema, snapshotMetaSchema } from "#lib/tracking/snapshots/index";

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
  .meta({ id: "VendorSummary", description: "A vendor, in short." });
export type VendorSummary = z.infer<typeof vendorSummarySchema>;

const count = z.int().min(0);

/** Vendors that the listing gives at most; a search pages through more. */
export const maxListedVendorCount = 1_000;

export const vendorListItemSchema = z
  .object({ ...summaryFields, latest: snapshotMetaSchema.nullable() })
  .meta({ id: "VendorListItem", description: "A vendor with its latest snapshot; null before the first." });

export const vendorListSchema = z
  .object({ count, vendors: z.array(vendorListItemSchema) })
  .meta({ id: "VendorList", description: "The active vendors, by slug." });
export type VendorList = z.infer<typeof vendorListSchema>;

/** The furthest that a search pages. */
const maxOffset = 999_999_999;

export const vendorSearchQuerySchema = z.object({
  q: z
    .string()
    .max(200, "must have at most 200 characters")
    .refine((text) => !text.includes("\0"), "must not contain NUL")
    .optional()
    .meta({ description: "Found anywhere in name, slug or domain, in capitals or not.", examples: ["quarry"] }),
  category: vendorCategorySchema.optional().meta({ description: "Vendors of this category alone." }),
  status: vendorStatusSchema.default("active").meta({ description: "Vendors of this status; `active` if absent." }),
  limit: wholeNumberSchema({ minimum: 1, maximum: 100, default: 50 }, "Most vendors of the page."),
  offset: wholeNumberSchema({ minimum: 0, maximum: maxOffset, default: 0 }, "Vendors to leave out in front."),
});
export type VendorSearchQuery = z.infer<typeof vendorSearchQuerySchema>;

export const vendorSearchItemSchema = z
  .object({ ...summaryFields, status: vendorStatusSchema })
  .meta({ id: "VendorSearchItem", description: "A vendor that a search found." });

export const vendorSearchSchema = z
  .object({
    _meta: z.object({
      count: count.meta({ description: "Vendors in this answer." }),
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
  .meta({ id: "VendorSearch", description: "A page of the vendors that a search found, by slug." });
export type VendorSearch = z.infer<typeof vendorSearchSchema>;

export const vendorDetailSchema = z
  .object({
    ...summaryFields,
    status: vendorStatusSchema,
    llms_txt_url: z.url(),
    llms_full_txt_url: z.url().nullable(),
  })
  .meta({ id: "VendorDetail", description: "A vendor and where its files stand." });
export type VendorDetail = z.infer<typeof vendorDetailSchema>;

/** Snapshots, and diffs, that a vendor's detail carries at most. */
export const recentCount = 10;

export const vendorAnswerSchema = z
  .object({
    vendor: vendorDetailSchema,
    snapshots: z.array(snapshotDetailSchema).max(recentCount),
    diffs: z.array(diffDetailSchema).max(recentCount),
  })
  .meta({ id: "VendorAnswer", description: "A vendor with its last snapshots and diffs, newest first." });
export type VendorAnswer = z.infer<typeof vendorAnswerSchema>;

export const statsSchema = z
  .object({
    vendors: count.meta({ description: "Active vendors." }),
    snapshots: count,
    diffs: count,
    total_bytes_tracked: count.meta({ description: "Bytes of all snapshots' contents, before compression." }),
    category_breakdown: z
      .record(vendorCategorySchema, count)
      .meta({ description: "Active vendors of each category; their sum is `vendors`." }),
    status_breakdown: z.record(vendorStatusSchema, count).meta({ description: "Vendors of each status." }),
  })
  .meta({ id: "Stats", description: "What is tracked, in numbers; vendors of an account do not count." });
export type Stats = z.infer<typeof statsSchema>;
