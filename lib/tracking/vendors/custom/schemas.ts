import * as z from "zod";
import { bodySchema } from "#lib/contract/parse-body";
import { vendorCategorySchema, vendorDetailSchema } from "../schemas";

/** Most vendors of an account. */
export const maxCustomCount = 50;
/** Most additions of an account in a minute of the clock. */
export const maxAddedPerMinute = 10;

const urlMessage = "must be a URL that starts with http:// or https://";

export const addVendorBodySchema = bodySchema(
  {
    url: z
      .string({ error: urlMessage })
      .max(2_048, "must have at most 2,048 characters")
      .regex(/^https?:\/\/\S+$/i, { error: urlMessage })
      .meta({
        description: "URL of an `llms.txt`, or of any other page of plain text or markdown, or of an OpenAPI document.",
        format: "uri",
        examples: ["https://docs.example.com/llms.txt"],
      }),
    name: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(80, "must have at most 80 characters")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the document shows the pattern, and few regex engines know \p.
      .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, "must not contain control characters")
      .optional()
      .describe("Name of the vendor. Default: the host of the URL."),
    format: z
      .enum(["llms_txt", "openapi"])
      .default("llms_txt")
      .describe("`openapi` for an OpenAPI 3 document in JSON or YAML. Default: `llms_txt`."),
    category: vendorCategorySchema
      .default("developer-tools")
      .describe("Category of the vendor. Default: `developer-tools`."),
  },
  "must be an object with url",
);
export type AddVendorBody = z.output<typeof addVendorBodySchema>;

export const renameVendorBodySchema = bodySchema(
  { name: addVendorBodySchema.shape.name.unwrap().describe("The new name. The slug stays.") },
  "must be an object with name",
);

const firstFetchSchema = z
  .object({
    at: z.iso
      .datetime()
      .nullable()
      .describe("When the fetch is expected; null if no fetch is expected or its time is not known."),
    note: z.string().describe("Who fetches it, or why no time is given."),
  })
  .meta({ id: "NextVendorFetch", description: "The next fetch of a vendor's file." });

export const vendorAdditionSchema = z
  .object({ vendor: vendorDetailSchema, fetch: firstFetchSchema })
  .meta({ id: "VendorAddition", description: "A vendor that the account tracks." });
export type VendorAddition = z.infer<typeof vendorAdditionSchema>;

export const vendorRenamingSchema = z
  .object({ vendor: vendorDetailSchema })
  .meta({ id: "VendorRenaming", description: "A vendor with its new name." });
export type VendorRenaming = z.infer<typeof vendorRenamingSchema>;

export const vendorRemovalSchema = z
  .object({ removed: z.literal(true), slug: z.string() })
  .meta({ id: "VendorRemoval", description: "A vendor that was removed with its history." });
export type VendorRemoval = z.infer<typeof vendorRemovalSchema>;

const latestChangeSchema = z
  .object({
    id: z.guid().describe("Id of the diff."),
    created_at: z.iso.datetime(),
    lines_added: z.int().min(0),
    lines_removed: z.int().min(0),
    summary: z.string().nullable().describe("Summary of its report; null before it is analysed."),
    significance: z.int().min(1).max(5).nullable(),
  })
  .meta({ id: "LatestVendorChange", description: "The latest change of a vendor's file." });

const customVendorSchema = z
  .object({
    ...vendorDetailSchema.shape,
    created_at: z.iso.datetime(),
    last_fetched_at: z.iso.datetime().nullable().describe("Last successful fetch; null before the first."),
    next_fetch_at: z.iso.datetime().describe("When the next fetch is due, if this server fetches vendors."),
    failure: z.string().nullable().describe("Why the last fetch failed, such as `http_404`; null if it did not."),
    latest_change: latestChangeSchema.nullable().describe("Null before the first change."),
  })
  .meta({ id: "CustomVendor", description: "A vendor of the calling key's account, and how its fetches go." });

export const customVendorListSchema = z
  .object({
    count: z.int().min(0).describe("All of the account, including those that are not listed."),
    limit: z.int(),
    vendors: z.array(customVendorSchema).describe(`The newest ${2 * maxCustomCount} at most.`),
  })
  .meta({ id: "CustomVendorList", description: "The vendors of the calling key's account, newest first." });
export type CustomVendorList = z.infer<typeof customVendorListSchema>;
