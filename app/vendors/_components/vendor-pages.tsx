import type { ProductContext } from "#lib/server/products";
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
