import { type Topic, vendorTopic } from "#lib/server/notifications/index";

const scheme = "tapedeck://";
const vendorPattern = /^tapedeck:\/\/vendors\/([a-z0-9-]{1,100})$/;

/** Addresses of what MCP clients read as resources. */
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

/** The vendor whose file a resource is; null for any other resource. */
export function vendorOfUri(uri: string): string | null {
  return vendorPattern.exec(uri)?.[1] ?? null;
}

/** What a session hears of that subscribes to a resource; null for one that never changes. */
export function topicOfUri(uri: string): Topic | null {
  const slug = vendorOfUri(uri);
  return slug === null ? null : vendorTopic(slug);
}

/** The resource of a vendor's topic; null for other topics. */
export function uriOfTopic(topic: string): string | null {
  return vendorOfUri(`${scheme}${topic}`) === null ? null : `${scheme}${topic}`;
}
