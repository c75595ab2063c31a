import * as z from "zod";
import { modelReaders } from "#lib/models/index";
import { config } from "#lib/platform/config";
import { checkUrl, OutboundError } from "#lib/platform/outbound/index";
import { vendorCategorySchema } from "../schemas";

/** Slugs that would conflict with paths next to `/vendors/{slug}`. */
const reservedSlugs = ["search", "custom"];

const slugSchema = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lowercase words of a-z and 0-9, joined by hyphens")
  .refine((slug) => !reservedSlugs.includes(slug), { error: "is reserved for an API path" });

const domainSchema = z
  .string()
  .max(253)
  .regex(/^([a-z0-9-]+\.)*[a-z0-9-]+(:\d+)?$/, "must be a lowercase host name");

/** A URL that the outbound guard accepts by its form. Host names are resolved when the URL is fetched. */
const urlSchema = z.string().superRefine((value, context) => {
  try {
    checkUrl(value, config().OUTBOUND_ALLOWED_HOSTS);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const hint = error.reason === "refused_address" ? ". For tests, OUTBOUND_ALLOWED_HOSTS allows a host:port" : "";
    context.addIssue({ code: "custom", message: `cannot be fetched: ${error.message}${hint}` });
  }
});

/** A vendor as operators add it and as it is exported. */
export const vendorInputSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  slug: slugSchema,
  domain: domainSchema,
  category: vendorCategorySchema,
  llms_txt_url: urlSchema,
  llms_full_txt_url: urlSchema.nullable().default(null),
  /** What the file is: text, an OpenAPI document, or a catalogue of models. */
  reader: z.enum(["llms_txt", "openapi", ...modelReaders]).default("llms_txt"),
  /** Whether the free tier's feed includes it. */
  public: z.boolean().default(false),
  /** The account that owns it: only that account's keys see it. */
  account_id: z.uuid().nullable().default(null),
});
export type VendorInput = z.infer<typeof vendorInputSchema>;

/** Most vendors in one import. */
const maxVendorCount = 10_000;

export const vendorFileSchema = z.strictObject({ vendors: z.array(vendorInputSchema).min(1).max(maxVendorCount) });
export type VendorFile = z.infer<typeof vendorFileSchema>;
