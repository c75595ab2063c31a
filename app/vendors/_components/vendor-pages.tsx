import type { ProductContext } from "#lib/server/products";
import { toVisible } from "#lib/tracking/diffs/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { Link } from "../../_components/link";
import { loadPageData, requireParams } from "../../_components/load-data";
import { getPageContext } from "../../_components/page-context";

/** Loads the data of a page of a vendor. */
export async function loadVendorPage<T>(slug: string, load: (context: ProductContext) => Promise<T>) {
  const context = await getPageContext();
  const result = await loadPageData(() => {
    requireParams(vendorParamsSchema, { slug });
    return load(context);
  });
  return { context, result };
}

/** The breadcrumbs above the title of a page below a vendor's. */
export function VendorTrail({ slug, name }: { slug: string; name: string }) {
  return (
    <>
      <Link href="/vendors">Vendors</Link>
      {" / "}
      <Link href={`/vendors/${slug}`}>{name}</Link>
    </>
  );
}

/** Links from a vendor's pages to its other versions. */
export function VersionLinks({ slug }: { slug: string }) {
  return (
    <p>
      <Link href={`/vendors/${slug}/compare`} rel="nofollow">
        Compare any two versions
      </Link>
      {" · "}
      <Link href={`/vendors/${slug}/snapshots`}>All versions</Link>
    </p>
  );
}

/** Maximum length of a URL that is shown in full, and of one that becomes a link, in characters. */
const maxShownLength = 200;
const maxLinkLength = 2_000;

/** A URL from a vendor's text. Only http(s) URLs become links, and they send no referrer. */
export function WebLink({ href }: { href: string }) {
  const visible = toVisible(href);
  const shown = visible.length > maxShownLength ? `${visible.slice(0, maxShownLength)}…` : visible;
  if (!/^https?:\/\//i.test(href) || href.length > maxLinkLength) return <span>{shown}</span>;
  return (
    <a href={href} rel="nofollow noreferrer">
      {shown}
    </a>
  );
}
