import type { CassetteSummary } from "#lib/replay/cassettes/index";
import { Link } from "../../../../_components/link";

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
