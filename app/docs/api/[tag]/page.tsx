import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { ReferenceGroup } from "#lib/server/openapi/index";
import { getPageContext } from "../../../_components/page-context";
import { getApiReference } from "../../../endpoints";
import { DocsPage } from "../../_components/docs-page";
import { findExampleValues } from "../../_components/reference/example-values";
import { Operation } from "../../_components/reference/operation";

type Props = { params: Promise<{ tag: string }> };

async function findGroup({ params }: Props): Promise<ReferenceGroup> {
  const { tag } = await params;
  const context = await getPageContext();
  const groups = getApiReference({ origin: context.origin, known: await findExampleValues(context) });
  const group = groups.find(({ slug }) => slug === tag);
  if (!group) notFound();
  return group;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { slug, title, description } = await findGroup(props);
  return { title: `${title}: API reference`, description, alternates: { canonical: `/docs/api/${slug}` } };
}

export default async function ApiGroupPage(props: Props) {
  const { title, description, operations } = await findGroup(props);
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
