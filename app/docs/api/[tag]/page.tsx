import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { AppError } from "#lib/platform/errors";
import { findExampleCassette } from "#lib/replay/cassettes/index";
import type { KnownValues, ReferenceGroup } from "#lib/server/openapi/index";
import type { ProductContext } from "#lib/server/products";
import { listRecentChanges } from "#lib/tracking/intelligence/index";
import { getPageContext } from "../../../_components/page-context";
import { getApiReference } from "../../../endpoints";
import { DocsPage } from "../../_components/docs-page";
import { Operation } from "../../_components/reference/operation";

async function cassetteValues(context: ProductContext): Promise<KnownValues> {
  const cassette = await findExampleCassette(context);
  const [vertical, cookbook] = cassette?.id.split("/") ?? [];
  return vertical && cookbook ? { "streamReplay.vertical": vertical, "streamReplay.cookbook": cookbook } : {};
}

async function diffValues(context: ProductContext): Promise<KnownValues> {
  const [change] = await listRecentChanges(context);
  return change ? { "getDiff.id": change.diffId } : {};
}

/** Returns no values on failure: the examples then have placeholders. */
async function readOrNone(
  context: ProductContext,
  read: (context: ProductContext) => Promise<KnownValues>,
): Promise<KnownValues> {
  try {
    return await read(context);
  } catch (error) {
    if (!(error instanceof AppError))
      context.log.warn({ err: error }, "could not read example values for the API reference");
    return {};
  }
}

/** Returns parameter values with which the examples work on this site. */
async function findExampleValues(context: ProductContext): Promise<KnownValues> {
  const [cassetteExamples, diffExamples] = await Promise.all([
    readOrNone(context, cassetteValues),
    readOrNone(context, diffValues),
  ]);
  return { ...cassetteExamples, ...diffExamples };
}

type Props = { params: Promise<{ tag: string }> };

const findGroup = cache(async (params: Props["params"]): Promise<ReferenceGroup> => {
  const { tag } = await params;
  const context = await getPageContext();
  const known = await findExampleValues(context);
  const [group] = getApiReference({ origin: context.origin, known, only: tag });
  if (!group) notFound();
  return group;
});

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { slug, title, description } = await findGroup(props.params);
  return { title: `${title}: API reference`, description, alternates: { canonical: `/docs/api/${slug}` } };
}

export default async function ApiGroupPage(props: Props) {
  const { title, description, operations } = await findGroup(props.params);
  return (
    <DocsPage
      section="API reference"
      title={title}
      lead={description}
      isWide
      contents={operations.map(({ id, summary }) => ({ id, text: summary, depth: 2 }))}
      tools={<a href="/openapi.json">OpenAPI document</a>}
    >
      {operations.map((operation) => (
        <Operation key={operation.id} operation={operation} />
      ))}
    </DocsPage>
  );
}
