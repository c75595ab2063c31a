import styles from "./answer.module.css";
import { asObject } from "./player-event";

type Found = { title: string; url: string };

function foundPages(content: unknown): Found[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((value) => {
    const { title, url } = asObject(value) ?? {};
    return typeof title === "string" && typeof url === "string" ? [{ title, url }] : [];
  });
}

/** What a tool of the provider brought: the pages of a search, anything else as JSON. */
export function ToolResult({ name, content }: { name: string; content: unknown }) {
  const pages = foundPages(content);
  return (
    <div className={styles.tool}>
      <p className={styles.label}>
        Result <code>{name}</code>
      </p>
      {pages.length > 0 ? (
        <ul className={styles.pages}>
          {pages.map(({ title, url }) => (
            <li key={url}>
              {title} <span className={styles.address}>{url}</span>
            </li>
          ))}
        </ul>
      ) : (
        <pre className={styles.code}>{JSON.stringify(content, null, 2)}</pre>
      )}
    </div>
  );
}
