import type { CassetteSummary, MatchIndex } from "#lib/replay/cassettes/index";
import { Link } from "../../../../_components/link";

/** Returns the turns of a cassette's conversation, the first turn first; only itself if it has no others. */
export function turnsOf(index: MatchIndex, summary: CassetteSummary): CassetteSummary[] {
  let first = summary;
  const seen = new Set([first.id]);
  for (;;) {
    const parent = first.parentId === null ? undefined : index.find(first.parentId);
    if (!parent || seen.has(parent.id)) return index.conversation(first.id);
    seen.add(parent.id);
    first = parent;
  }
}

/** Links to the turns of a conversation. */
export function Conversation({ turns, currentId }: { turns: readonly CassetteSummary[]; currentId: string }) {
  return (
    <ol>
      {turns.map(({ id, title }) => (
        <li key={id}>{id === currentId ? <strong>{title}</strong> : <Link href={`/replay/${id}`}>{title}</Link>}</li>
      ))}
    </ol>
  );
}
