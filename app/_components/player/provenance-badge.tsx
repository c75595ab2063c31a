import type { CassetteSummary } from "#lib/replay/cassettes/index";
import { Badge } from "../badge";

/** The provenance and timing of a cassette. */
export function ProvenanceBadge({ provenance }: Pick<CassetteSummary, "provenance">) {
  return (
    <Badge>
      {provenance.kind}, {provenance.timing} timing
    </Badge>
  );
}
