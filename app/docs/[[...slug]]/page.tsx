import type { Metadata } from "next";
import { notFound } from "next/navigation";
import {
  findNeighbours,
  findPage,
  type Page,
  pagePath,
  rawPagePath,
  renderPage,
  treeWithOrigin,
} from "#lib/discovery/content/index";
import { CopyButton } from "../../_components/copy-button";
import { JsonLd } from "../../_components/json-ld";
import { getPageContext } from "../../_components/page-context";
import { PreviousNextLinks } from "../../_components/pagination";
import { DocsPage } from "../_components/docs-page";
import { Markdown } from "../_components/markdown";

type Props = { params: Promise<{ slug?: string[] }> };

async function loadPage({ params }: Props): Promise<Page> {
  const { slug = [] } = await params;
  const page = await findPage(slug.join("/"));
  if (!page) notFound();
  return page;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const page = await loadPage(props);
  const { title, description } = page;
  const alternates = { canonical: pagePath(page), types: { "text/markdown": rawPagePath(page) } };
  return { title, description, alternates };
}

function articleData(page: Page, origin: string) {
  const { title, description } = page;
  const url = `${origin}${pagePath(page)}`;
  return { "@type": "TechArticle", headline: title, description, url, isPartOf: { "@type": "WebSite", url: origin } };
}

export default async function ContentPage(props: Props) {
  const page = await loadPage(props);
  const { tree, headings } = await renderPage(page);
  const { section, title, description } = page;
  const { origin } = await getPageContext();
  return (
    <DocsPage
      section={section}
      title={title}
      lead={description}
      contents={headings}
      tools={
        <>
          <a href={rawPagePath(page)}>View as markdown</a>
          <CopyButton path={rawPagePath(page)} idleText="Copy as markdown" />
        </>
      }
    >
      <JsonLd data={articleData(page, origin)} />
      <Markdown tree={treeWithOrigin(tree, origin)} />
      <PreviousNextLinks kind="page" {...(await findNeighbours(page))} />
    </DocsPage>
  );
}
