import { ButtonLink, ButtonRow } from "./button";
import { PageHeader } from "./page-header";

type Content = { title: string; lead: string; links: [href: string, label: string][] };

const cassetteContent: Content = {
  title: "Cassette not found.",
  lead: "It may have another slug, or belong to another vertical.",
  links: [["/replay?vertical=all", "All cassettes"]],
};

const vendorContent: Content = {
  title: "Vendor, version or change not found.",
  lead: "The URL may be old or mistyped.",
  links: [["/vendors", "All vendors"]],
};

const docsContent: Content = {
  title: "Docs page not found.",
  lead: "The URL may be old or mistyped.",
  links: [
    ["/docs", "All docs"],
    ["/docs/search-results", "Search"],
  ],
};

const defaultContent: Content = {
  title: "Page not found.",
  lead: "The URL may be old or mistyped. Try one of these:",
  links: [
    ["/replay", "Replay"],
    ["/docs", "Docs"],
    ["/vendors", "Vendors"],
  ],
};

const contentByPrefix: [prefix: string, content: Content][] = [
  ["/replay/", cassetteContent],
  ["/vendors/", vendorContent],
  ["/docs/", docsContent],
];

function findContent(path: string): Content {
  return contentByPrefix.find(([prefix]) => path.startsWith(prefix))?.[1] ?? defaultContent;
}

/** The content of the 404 page, with links that fit the path. */
export function NotFoundContent({ path }: { path: string }) {
  const { title, lead, links } = findContent(path);
  return (
    <PageHeader title={title} lead={lead}>
      <ButtonRow>
        {links.map(([href, label], index) => (
          <ButtonLink key={href} href={href} variant={index === 0 ? "primary" : "secondary"}>
            {label}
          </ButtonLink>
        ))}
      </ButtonRow>
    </PageHeader>
  );
}
