import type { Metadata } from "next";
import { loadChangelog, renderPage, treeWithOrigin } from "#lib/discovery/content/index";
import { pageHead } from "#lib/discovery/documents/index";
import { getPageContext } from "../../_components/page-context";
import { PageHeader } from "../../_components/page-parts";
import { Markdown } from "../../docs/_components/markdown";

export const dynamic = "force-dynamic";
export const metadata: Metadata = {
  ...pageHead("/changelog"),
  alternates: { canonical: "/changelog", types: { "text/markdown": "/changelog.md" } },
};

export default async function ChangelogPage() {
  const [{ origin }, { tree }] = [await getPageContext(), await renderPage(await loadChangelog())];
  return (
    <>
      <PageHeader title="Changelog" lead="What changed in each version.">
        <p className="caption">
          <a href="/changelog.md">View as markdown</a>
        </p>
      </PageHeader>
      <Markdown tree={treeWithOrigin(tree, origin)} />
    </>
  );
}
