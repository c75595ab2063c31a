import { jsonReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { addCustomVendor, addVendorEndpoint, listVendors, listVendorsEndpoint } from "#lib/tracking/vendors/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(listVendorsEndpoint, listVendors),
  handle(addVendorEndpoint, async (context, input) => {
    const { addition, isNew } = await addCustomVendor(context, input);
    return jsonReply(addition, isNew ? 201 : 200);
  }),
);
