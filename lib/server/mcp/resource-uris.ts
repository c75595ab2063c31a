import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import { AppError } from "#lib/platform/errors";
import { type Topic, vendorTopic } from "#lib/server/notifications/index";
import { requireVisibleVendor } from "#lib/tracking/vendor-access/index";
import type { ToolContext } from "./tool-context";

const scheme = "tapedeck://";
const vendorPattern = /^tapedeck:\/\/vendors\/([a-z0-9-]{1,100})$/;

/** URIs of the MCP resources. */
export const uris = {
  doc: (slug: string) => `${scheme}docs/${slug || "index"}`,
  cassette: (id: string) => `${scheme}cassettes/${id}`,
  vendor: (slug: string) => `${scheme}vendors/${slug}`,
};

export const uriTemplates = {
  doc: `${scheme}docs/{+slug}`,
  cassette: `${scheme}cassettes/{vertical}/{slug}`,
  vendor: `${scheme}vendors/{slug}`,
};

function vendorOfUri(uri: string): string | null {
  return vendorPattern.exec(uri)?.[1] ?? null;
}

/** Returns the topic whose notifications concern a resource; null for a resource that never changes. */
export function topicOfUri(uri: string): Topic | null {
  const slug = vendorOfUri(uri);
  return slug === null ? null : vendorTopic(slug);
}

/** Returns the resource that a vendor's topic concerns; null for other topics. */
export function uriOfTopic(topic: string): string | null {
  return vendorOfUri(`${scheme}${topic}`) === null ? null : `${scheme}${topic}`;
}

/**
 * Returns the topic of a resource that the caller may subscribe to. Throws ResourceNotFoundError if the resource does
 * not exist, is not visible to the caller, or never changes.
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
