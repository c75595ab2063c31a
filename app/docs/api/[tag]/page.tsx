import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { findExampleCassette } from "#lib/replay/cassettes/index";
import type { KnownValues, ReferenceGroup } from "#lib/server/openapi/index";
import type { ProductContext } from "#lib/server/products";
import { listRecentChanges } from "#lib/tracking/intelligence/index";
import { orUndefined } from "../../../_components/load-data";
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

/** Returns parameter values with which the examples work on this site; placeholders stand for those that cannot be read. */
async function findExampleValues(context: ProductContext): Promise<KnownValues> {
  const read = (values: (context: ProductContext) => Promise<KnownValues>) =>
    orUndefined(context, () => values(context), "could not read example values for the API reference");
  const [cassetteExamples, diffExamples] = await Promise.all([read(cassetteValues), read(diffValues)]);
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
