import { blockedScore } from "#lib/contract/blocked-content";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/page-parts";

type Props = {
  /** Security scores of the two versions. */
  olderScore: number;
  newerScore: number;
  /** Whether the page shows the changed lines. */
  isShown: boolean;
};

/** Warns of a diff with text that seems to be written to models. */
export function DiffWarning({ olderScore, newerScore, isShown }: Props) {
  const [isOlder, isNewer] = [olderScore >= blockedScore, newerScore >= blockedScore];
  if (!isOlder && !isNewer) return null;
  const versions = isOlder && isNewer ? "Both versions seem" : `The ${isNewer ? "newer" : "older"} version seems`;
  return (
    <Notice tone="error" title="This text may try to control a model.">
      {versions} to contain instructions for models (prompt injection); the security score is{" "}
      {Math.max(olderScore, newerScore)} of 5. Don’t pass these lines to a model.
      {isShown && " The lines that were found are folded below."}{" "}
      <Link href="/docs/security-score">How scoring works</Link>
    </Notice>
  );
}
