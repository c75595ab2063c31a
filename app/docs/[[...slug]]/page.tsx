import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { findPage, loadPages, type Page, renderPage } from "#lib/content/index";

type Props = { params: Promise<{ slug?: string[] }> };

async function pageOf({ params }: Props): Promise<Page> {
  const { slug = [] } = await params;
  const page = await findPage(slug.join("/"));
  if (!page) notFound();
  return page;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { title, description, slug } = await pageOf(props);
  return { title, description, alternates: { canonical: `/docs/${slug}`.replace(/\/$/, "") } };
}

function Navigation({ pages, current }: { pages: readonly Page[]; current: Page }) {
  const sections = [...new Set(pages.map(({ section }) => section))];
  return (
    <nav className="docs-nav" aria-label="Documentation">
      {sections.map((section) => (
        <div key={section}>
          <p>{section}</p>
          <ul>
            {pages
              .filter((page) => page.section === section)
              .map(({ slug, title }) => (
                <li key={slug}>
                  <Link
                    href={`/docs/${slug}`.replace(/\/$/, "")}
                    aria-current={slug === current.slug ? "page" : undefined}
                  >
                    {title}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

export default async function DocsPage(props: Props) {
  const page = await pageOf(props);
  const { tree, headings } = await renderPage(page);
  return (
    <div className="docs">
      <Navigation pages={await loadPages()} current={page} />
      <article>
        <h1>{page.title}</h1>
        <p className="lead">{page.description}</p>
        <div className="prose">{toJsxRuntime(tree, { Fragment, jsx, jsxs })}</div>
        <p className="facts">
          <a href={`/docs/${page.slug || "index"}.md`}>View as markdown</a>
        </p>
      </article>
      {headings.length > 1 && (
        <nav className="docs-toc" aria-label="On this page">
          <p>On this page</p>
          <ul>
            {headings.map(({ id, text }) => (
              <li key={id}>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}
