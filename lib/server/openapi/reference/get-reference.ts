import { type Endpoint, type EndpointTag, tagSlug } from "#lib/contract/endpoint";
import { exampleOrigin } from "#lib/contract/example-origin";
import { perObject } from "#lib/platform/per-object";
import type { JsonSchema } from "../convert-schema";
import { getOpenApiText } from "../get-openapi";
import { describeOperation, type KnownValues, type Operation, type ReferenceOperation } from "./describe-operation";

/** The operations of one tag. */
export type ReferenceGroup = {
  /** The tag in URLs: `keys-and-billing`. */
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

const documentOf = perObject(
  (endpoints: readonly Endpoint[]): Document => JSON.parse(getOpenApiText(endpoints, { origin: exampleOrigin })),
);

/** Returns the groups of the reference without their operations, for navigation. */
export function listReferenceGroups(endpoints: readonly Endpoint[]): Pick<ReferenceGroup, "slug" | "title">[] {
  return [...new Set(endpoints.map(({ tag }) => tag))].map((tag) => ({ slug: tagSlug(tag), title: tag }));
}

export type ReferenceOptions = { origin: string; known?: KnownValues; only?: string };

/**
 * Returns the API reference for one origin: every operation of the OpenAPI document, grouped by tag. `known` fills in
 * values of parameters, and `only` is the slug of the only group that is wanted.
 */
export function getReference(
  endpoints: readonly Endpoint[],
  { origin, known = {}, only }: ReferenceOptions,
): ReferenceGroup[] {
  const { tags, paths, components } = documentOf(endpoints);
  const shared = { schemas: components.schemas, origin, known };
  const wanted = tags.filter(({ name }) => only === undefined || tagSlug(name) === only);
  return wanted.map(({ name, description = "" }) => ({
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
