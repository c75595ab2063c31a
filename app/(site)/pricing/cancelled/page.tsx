import type { Metadata } from "next";
import { ButtonLink } from "../../../_components/button";
import { PageHeader } from "../../../_components/page-header";

export const metadata: Metadata = { title: "Nothing was bought", robots: { index: false, follow: false } };

export default function CancelledPage() {
  return (
    <PageHeader
      title="Nothing was bought."
      lead="You left the payment before it was made. You can begin again at any time."
    >
      <p>
        <ButtonLink href="/pricing" variant="primary">
          See the tiers
        </ButtonLink>{" "}
        <ButtonLink href="/docs/quickstart">Go on without a key</ButtonLink>
      </p>
    </PageHeader>
  );
}
