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
import { JsonLd } from "../../_components/json-ld";
import { getPageContext } from "../../_components/page-context";
import { PreviousNextLinks } from "../../_components/previous-next-links";
import { CopyMarkdown } from "../_components/copy-markdown";
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

function MarkdownTools({ path }: { path: string }) {
  return (
    <>
      <a href={path}>View as markdown</a>
      <CopyMarkdown path={path} />
    </>
  );
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
      tools={<MarkdownTools path={rawPagePath(page)} />}
    >
      <JsonLd data={articleData(page, origin)} />
      <Markdown tree={treeWithOrigin(tree, origin)} />
      <PreviousNextLinks kind="page" {...(await findNeighbours(page))} />
    </DocsPage>
  );
}
