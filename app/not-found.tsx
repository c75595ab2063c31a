import type { Metadata } from "next";
import { ButtonLink } from "./_components/button";
import { PageHeader } from "./_components/page-header";

export const metadata: Metadata = { title: "Nothing stands here" };

export default function NotFound() {
  return (
    <PageHeader title="Nothing stands here." lead="The address may be old or mistyped. These doors are open:">
      <p>
        <ButtonLink href="/replay" variant="primary">
          Replay
        </ButtonLink>{" "}
        <ButtonLink href="/docs">Docs</ButtonLink> <ButtonLink href="/vendors">Vendors</ButtonLink>
      </p>
    </PageHeader>
  );
}
