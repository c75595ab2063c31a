import { type EndpointTag, tagSlug } from "#lib/contract/endpoint";
import { endpoints } from "../all-endpoints";
import type { JsonSchema } from "../convert-schema";
import { getOpenApi } from "../get-openapi";
import { describeOperation, type KnownValues, type Operation, type ReferenceOperation } from "./describe-operation";

export type { KnownValues } from "./describe-operation";

/** The operations that belong together. */
export type ReferenceGroup = {
  /** Name in addresses: `keys-and-billing`. */
  slug: string;
  title: string;
  description: string;
  operations: ReferenceOperation[];
};

type Document = {
  tags: { name: EndpointTag; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
};

let read: Document | undefined;

/** Making the document takes tens of milliseconds, and nothing that the reference shows of it depends on the origin. */
function document(): Document {
  read ??= getOpenApi({ origin: "" }) as Document;
  return read;
}

/** The groups of the reference without their operations: cheap, for navigation. */
export function listReferenceGroups(): Pick<ReferenceGroup, "slug" | "title">[] {
  return [...new Set(endpoints.map(({ tag }) => tag))].map((tag) => ({ slug: tagSlug(tag), title: tag }));
}

/**
 * The API reference as seen from one origin: every operation of the OpenAPI document by its tag, in the document's
 * order. `known` are values of parameters that the site can answer for.
 */
export function getReference({ origin }: { origin: string }, known: KnownValues = {}): ReferenceGroup[] {
  const { tags, paths, components } = document();
  const shared = { schemas: components.schemas, origin, known };
  return tags.map(({ name, description = "" }) => ({
    slug: tagSlug(name),
    title: name,
    description,
    operations: endpoints
      .filter(({ tag }) => tag === name)
      .map((endpoint) => {
        const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()] as Operation;
        return describeOperation(endpoint, operation, shared);
      }),
  }));
}
