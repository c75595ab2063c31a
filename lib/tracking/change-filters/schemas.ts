import { z } from "zod";
import { intelligenceCategorySchema } from "#lib/tracking/report-categories/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";

/** Most slugs in a filter. */
export const maxFilterVendorCount = 50;

const significanceMessage = "must be a whole number from 1 to 5";

type FilterTexts = { id: string; minSignificance: string };

/** Returns the schema of filters of changes, with the name that it has in the OpenAPI document. */
export function changeFiltersSchema({ id, minSignificance }: FilterTexts) {
  return z
    .strictObject(
      {
        vendors: z
          .array(vendorParamsSchema.shape.slug)
          .min(1, "must name at least one vendor")
          .max(maxFilterVendorCount, `must name at most ${maxFilterVendorCount} vendors`)
          .optional()
          .meta({ description: "Only changes of vendors with these slugs." }),
        categories: z
          .array(intelligenceCategorySchema)
          .min(1, "must name at least one category")
          .max(intelligenceCategorySchema.options.length, "must not repeat categories")
          .optional()
          .meta({ description: "Only changes whose report has at least one of these categories." }),
        min_significance: z
          .int(significanceMessage)
          .min(1, significanceMessage)
          .max(5, significanceMessage)
          .optional()
          .meta({ description: minSignificance }),
      },
      { error: "must be an object with vendors, categories or min_significance" },
    )
    .meta({ id, description: "What a change must match, in every field that is given." });
}

export type ChangeFilters = z.output<ReturnType<typeof changeFiltersSchema>>;
