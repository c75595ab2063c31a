import { Link } from "../../_components/link";

type Props = { slug: string; name?: string };

/** The breadcrumbs above the title of a page below a vendor's; without a name, of a vendor that could not be loaded. */
export function VendorTrail({ slug, name }: Props) {
  return (
    <>
      <Link href="/vendors">Vendors</Link>
      {name !== undefined && (
        <>
          {" / "}
          <Link href={`/vendors/${slug}`}>{name}</Link>
        </>
      )}
    </>
  );
}
