import { z } from "zod";

/** Path parameters of a vendor. Anything that cannot be a slug is rejected without a lookup. */
export const vendorParamsSchema = z.object({
  slug: z
    .string()
    .regex(/^[a-z0-9-]{1,100}$/)
    .meta({ description: "The vendor's slug.", examples: ["quarrydb"] }),
});
