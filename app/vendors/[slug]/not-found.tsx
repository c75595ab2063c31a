import { ButtonLink } from "../../_components/button";
import { PageHeader } from "../../_components/page-header";

export default function VendorNotFound() {
  return (
    <PageHeader title="There is no such vendor or change." lead="The address may be old or mistyped.">
      <p>
        <ButtonLink href="/vendors" variant="primary">
          All vendors
        </ButtonLink>
      </p>
    </PageHeader>
  );
}
