import { ButtonLink } from "../../../../_components/button";
import { PageHeader } from "../../../../_components/page-header";

export default function CassetteNotFound() {
  return (
    <PageHeader title="There is no such cassette." lead="It may have another slug, or belong to another trade.">
      <p>
        <ButtonLink href="/replay?vertical=all" variant="primary">
          All cassettes
        </ButtonLink>
      </p>
    </PageHeader>
  );
}
