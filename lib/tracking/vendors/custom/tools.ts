import * as z from "zod";
import { requireTier } from "#lib/accounts/plans/index";
import { defineTool, withRecoveryHint } from "#lib/contract/tool";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { addCustomVendor, type CustomVendorContext, removeCustomVendor } from "./custom-vendors";
import {
  addVendorBodySchema,
  maxAddedPerMinute,
  maxCustomCount,
  vendorAdditionSchema,
  vendorRemovalSchema,
} from "./schemas";

/** Hints for errors about an HTTP request body. */
const hints = {
  conflict: (message: string) => `${message} Use remove_vendor for that.`,
  bad_request: (message: string) =>
    `The url was rejected: ${message.replace(/^Body field "url": /, "")} Pass the public URL of a text file.`,
};

const { url, name, format, category } = addVendorBodySchema.shape;

const addVendorTool = defineTool({
  name: "add_vendor",
  title: "Add a vendor of your own",
  description: `Tracks the llms.txt, another text page or an OpenAPI document at a URL for your account alone: its changes then appear in get_feed, get_diff_summary and list_reports. An account can have ${maxCustomCount} vendors of its own and add ${maxAddedPerMinute} a minute. Returns the existing vendor if the URL is tracked already. Use it only for a URL that the user wants tracked; first look with search_vendors. Example: {"url": "https://docs.example.com/llms.txt", "name": "Example docs"}`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    url: url.describe("Public http(s) URL of a text file."),
    name: name.describe("Name of the vendor. Default: the host of the URL."),
    format,
    category: category.describe("Category of the vendor."),
  }),
  output: z.object(vendorAdditionSchema.shape),
  async run(context: CustomVendorContext, body) {
    requireTier(context.caller, "pro");
    return (await withRecoveryHint(addCustomVendor(context, { body }), hints)).addition;
  },
});

const removeVendorTool = defineTool({
  name: "remove_vendor",
  title: "Remove a vendor of your own",
  description:
    'Removes a vendor that your account has added, with its whole history, which cannot be restored. Other vendors cannot be removed. Use it only if the user wants to remove that vendor. Example: {"slug": "example-docs-93e5c7f1"}',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ slug: vendorParamsSchema.shape.slug.describe("The vendor's slug.") }),
  output: z.object(vendorRemovalSchema.shape),
  async run(context: CustomVendorContext, { slug }) {
    requireTier(context.caller, "pro");
    const not_found = `Your account has added no vendor "${slug}". Call search_vendors to find slugs.`;
    return withRecoveryHint(removeCustomVendor(context, { params: { slug } }), { not_found });
  },
});

export const customVendorTools = [addVendorTool, removeVendorTool];
