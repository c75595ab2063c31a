import * as z from "zod";
import { requireTier } from "#lib/accounts/plans/index";
import { defineTool, withRecoveryHint } from "#lib/contract/tool";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { addCustomVendor, type CustomVendorContext, removeCustomVendor, renameVendor } from "./custom-vendors";
import {
  addVendorBodySchema,
  maxAddedPerMinute,
  maxCustomCount,
  renameVendorBodySchema,
  vendorAdditionSchema,
  vendorRemovalSchema,
  vendorRenamingSchema,
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

const slug = vendorParamsSchema.shape.slug.describe("The vendor's slug.");
const notFound = (wanted: string) => `Your account has added no vendor "${wanted}". Call search_vendors to find slugs.`;

const renameVendorTool = defineTool({
  name: "rename_vendor",
  title: "Rename a vendor of your own",
  description:
    'Changes the name of a vendor that your account has added; its slug stays. Example: {"slug": "example-docs-93e5c7f1", "name": "Example API"}',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ slug, name: renameVendorBodySchema.shape.name }),
  output: z.object(vendorRenamingSchema.shape),
  async run(context: CustomVendorContext, { slug: wanted, name: newName }) {
    requireTier(context.caller, "pro");
    const renaming = renameVendor(context, { params: { slug: wanted }, body: { name: newName } });
    return withRecoveryHint(renaming, { not_found: notFound(wanted) });
  },
});

const removeVendorTool = defineTool({
  name: "remove_vendor",
  title: "Remove a vendor of your own",
  description:
    'Removes a vendor that your account has added, with its whole history, which cannot be restored. Other vendors cannot be removed. Use it only if the user wants to remove that vendor. Example: {"slug": "example-docs-93e5c7f1"}',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ slug }),
  output: z.object(vendorRemovalSchema.shape),
  async run(context: CustomVendorContext, { slug: wanted }) {
    requireTier(context.caller, "pro");
    const removal = removeCustomVendor(context, { params: { slug: wanted } });
    return withRecoveryHint(removal, { not_found: notFound(wanted) });
  },
});

export const customVendorTools = [addVendorTool, renameVendorTool, removeVendorTool];
