import styles from "./link-changes.module.css";
import { WebLink } from "./web-link";

type ListProps = { title: string; links: readonly string[]; count: number };

function LinkList({ title, links, count }: ListProps) {
  const more = count - links.length;
  return (
    <div>
      <h3 className={styles.title}>
        {title} <span className="muted">{count.toLocaleString("en")}</span>
      </h3>
      {count === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <ul className={`${styles.links} plain-list`}>
          {links.map((link) => (
            <li key={link}>
              <WebLink href={link} />
            </li>
          ))}
          {more > 0 && <li className="muted">and {more.toLocaleString("en")} more</li>}
        </ul>
      )}
    </div>
  );
}

type Props = { added: readonly string[]; addedCount: number; removed: readonly string[]; removedCount: number };

/** The links that a change added and removed. */
export function LinkChanges({ added, addedCount, removed, removedCount }: Props) {
  if (addedCount + removedCount === 0) return <p className="muted">No links were added or removed.</p>;
  return (
    <div className={styles.sides}>
      <LinkList title="Added" links={added} count={addedCount} />
      <LinkList title="Removed" links={removed} count={removedCount} />
    </div>
  );
}
