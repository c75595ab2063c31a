import { z } from "zod";

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

export const vendorSummarySchema = z
  .object({ name: z.string(), slug: z.string(), domain: z.string(), category: vendorCategorySchema })
  .meta({ id: "VendorSummary", description: "A vendor, in short." });
export type VendorSummary = z.infer<typeof vendorSummarySchema>;
