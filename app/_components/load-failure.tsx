import { headers } from "next/headers";
import type { AppError } from "#lib/platform/errors";
import { pathHeader } from "#lib/server/http/page-headers";
import { ButtonLink } from "./button";
import { Link } from "./link";
import { Notice, PageHeader } from "./page-parts";

type PageLink = [href: string, label: string];
type Content = { prefix: string; title: string; lead?: string; links: PageLink[] };

/** What 404 pages say, by the beginning of the path. */
const contents: readonly Content[] = [
  {
    prefix: "/replay/",
    title: "Cassette not found.",
    lead: "It may have another slug, or belong to another vertical.",
    links: [["/replay?vertical=all", "All cassettes"]],
  },
  { prefix: "/models/", title: "Model not found.", links: [["/models", "All models"]] },
  {
    prefix: "/vendors/",
    title: "Vendor, version or change not found.",
    lead: "The URL may be old or mistyped. A vendor of your own is shown once this tab has your key.",
    links: [
      ["/vendors", "All vendors"],
      ["/key", "Your key"],
    ],
  },
  {
    prefix: "/docs/",
    title: "Docs page not found.",
    links: [
      ["/docs", "All docs"],
      ["/docs/search-results", "Search"],
    ],
  },
];

const otherContent: Omit<Content, "prefix"> = {
  title: "Page not found.",
  lead: "The URL may be old or mistyped. Try one of these:",
  links: [
    ["/replay", "Replay"],
    ["/docs", "Docs"],
    ["/vendors", "Vendors"],
  ],
};

async function findContent(): Promise<Content | undefined> {
  const path = (await headers()).get(pathHeader) ?? "/";
  return contents.find(({ prefix }) => path.startsWith(prefix));
}

/** The content of the 404 page, with links that fit the path. */
export async function NotFoundContent() {
  const { title, lead = "The URL may be old or mistyped.", links } = (await findContent()) ?? otherContent;
  return (
    <PageHeader title={title} lead={lead}>
      <p className="row">
        {links.map(([href, label], index) => (
          <ButtonLink key={href} href={href} variant={index === 0 ? "primary" : "secondary"}>
            {label}
          </ButtonLink>
        ))}
      </p>
    </PageHeader>
  );
}

/** Title of a page without data. */
export function failureTitle({ code }: AppError, otherwise: string): string {
  return code === "not_found" ? "Page not found" : otherwise;
}

type Props = {
  error: AppError;
  /** Title and lead of the page if its data exists but could not be loaded. */
  page: string;
  lead?: string;
  /** Title of the message in that case. */
  title: string;
};

async function Failure({ error, page, lead, title }: Props) {
  const [link] = (await findContent())?.links ?? [];
  return (
    <>
      <PageHeader title={page} lead={lead} above={link && <Link href={link[0]}>{link[1]}</Link>} />
      <Notice tone="error" title={title}>
        {error.message}
      </Notice>
    </>
  );
}

/** What a page shows whose data `loadPageData` could not load: the content of the 404 page, or why it failed. */
export function LoadFailure(props: Props) {
  return (
    <>
      <meta name="robots" content="noindex" />
      {props.error.code === "not_found" ? <NotFoundContent /> : <Failure {...props} />}
    </>
  );
}
