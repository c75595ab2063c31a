import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import { AppError } from "#lib/platform/errors";
import type { Topic } from "#lib/server/notifications/index";
import { requireVisibleVendor } from "#lib/tracking/vendor-access/index";
import type { ToolContext } from "../registry";
import { topicOfUri, vendorOfUri } from "./uris";

/**
 * The topic of a resource that the caller may hear of. Throws ResourceNotFoundError where there is no such resource, or
 * not for the caller, or where it never changes.
 */
export async function requireTopic(context: ToolContext, uri: string): Promise<Topic> {
  const [slug, topic] = [vendorOfUri(uri), topicOfUri(uri)];
  if (slug === null || topic === null) {
    throw new ResourceNotFoundError(uri, "Only tapedeck://vendors/{slug} can be subscribed to.");
  }
  try {
    await requireVisibleVendor(context, slug);
  } catch (error) {
    throw error instanceof AppError && error.code === "not_found"
      ? new ResourceNotFoundError(uri, error.message)
      : error;
  }
  return topic;
}
