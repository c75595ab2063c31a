import type { Metadata } from "next";
import type { ReferenceGroup } from "#lib/server/openapi/index";
import { DataTable } from "../../_components/data-table";
import { Link } from "../../_components/link";
import { getPageContext } from "../../_components/page-context";
import { getApiReference } from "../../endpoints";
import { DocsPage } from "../_components/docs-page";
import { InlineText } from "../_components/reference/inline-text";
import styles from "./page.module.css";

const description = "Every operation of the HTTP API, generated from the OpenAPI document.";

export const metadata: Metadata = {
  title: "API reference",
  description,
  alternates: { canonical: "/docs/api", types: { "application/vnd.oai.openapi+json": "/openapi.json" } },
};

function Group({ group }: { group: ReferenceGroup }) {
  const { slug, title, operations } = group;
  return (
    <section aria-labelledby={slug} className={styles.group}>
      <h2 id={slug}>
        <Link href={`/docs/api/${slug}`}>{title}</Link>
      </h2>
      <p className="muted">
        <InlineText text={group.description} />
      </p>
      <DataTable
        caption={title}
        stacks
        columns={[
          { key: "summary", title: "Operation" },
          { key: "request", title: "Request" },
        ]}
        rows={operations.map(({ id, method, path, summary }) => ({
          key: id,
          cells: {
            summary: <Link href={`/docs/api/${slug}#${id}`}>{summary}</Link>,
            request: (
              <code className={styles.request}>
                {method} {path}
              </code>
            ),
          },
        }))}
      />
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
