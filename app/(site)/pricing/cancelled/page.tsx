import type { Metadata } from "next";
import { ButtonLink } from "../../../_components/button";
import { PageHeader } from "../../../_components/page-parts";

export const metadata: Metadata = { title: "Purchase cancelled", robots: { index: false, follow: false } };

export default function CancelledPage() {
  return (
    <PageHeader
      title="Purchase cancelled."
      lead="You left before paying, so you haven’t been charged. You can start again at any time."
    >
      <p className="row">
        <ButtonLink href="/pricing" variant="primary">
          See pricing
        </ButtonLink>
        <ButtonLink href="/docs/quickstart">Continue without a key</ButtonLink>
      </p>
    </PageHeader>
  );
}
