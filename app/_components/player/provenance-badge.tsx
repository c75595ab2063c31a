import type { CassetteSummary } from "#lib/replay/cassettes/index";
import { Badge } from "../badge";

/** Where a cassette comes from, in one word and its timing's. */
export function ProvenanceBadge({ provenance }: Pick<CassetteSummary, "provenance">) {
  return (
    <Badge>
      {provenance.kind}, {provenance.timing} timing
    </Badge>
  );
}
