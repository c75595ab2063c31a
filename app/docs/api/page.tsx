import type { Metadata } from "next";
import { sitePages } from "#lib/discovery/documents/index";
import type { ReferenceGroup } from "#lib/server/openapi/index";
import { type Column, DataTable } from "../../_components/data-table";
import { Link } from "../../_components/link";
import { getPageContext } from "../../_components/page-context";
import { getApiReference } from "../../endpoints";
import { DocsPage } from "../_components/docs-page";
import { InlineText } from "../_components/inline-text";
import styles from "../docs.module.css";

const { title, description } = sitePages["/docs/api"];

export const metadata: Metadata = {
  title,
  description,
  alternates: { canonical: "/docs/api", types: { "application/vnd.oai.openapi+json": "/openapi.json" } },
};

function Group({ group: { slug, title, description: text, operations } }: { group: ReferenceGroup }) {
  const columns: readonly Column<(typeof operations)[number]>[] = [
    { title: "Operation", cell: ({ id, summary }) => <Link href={`/docs/api/${slug}#${id}`}>{summary}</Link> },
    { title: "Request", cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
  ];
  return (
    <section aria-labelledby={slug} className={styles.group}>
      <h2 id={slug}>
        <Link href={`/docs/api/${slug}`}>{title}</Link>
      </h2>
      <p className="muted">
        <InlineText text={text} />
      </p>
      <DataTable caption={title} columns={columns} items={operations} keyOf={({ id }) => id} stacks />
    </section>
  );
}

export default async function ApiReferencePage() {
  const groups = getApiReference(await getPageContext());
  return (
    <DocsPage
      section="Reference"
      title="API reference"
      lead={description}
      isWide
      contents={groups.map(({ slug, title }) => ({ id: slug, text: title, depth: 2 }))}
      tools={<a href="/openapi.json">OpenAPI document</a>}
    >
      {groups.map((group) => (
        <Group key={group.slug} group={group} />
      ))}
    </DocsPage>
  );
}
