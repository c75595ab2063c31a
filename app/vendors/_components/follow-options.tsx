import { CodeBlock } from "../../_components/code-block";
import styles from "./follow-options.module.css";

type Props = {
  slug: string;
  origin: string;
  /** Whether the API gives out the latest content: it was fetched, and its security score does not block it. */
  hasContent: boolean;
};

/** Ways to hear of a vendor: a feed, the API, MCP. */
export function Follow({ slug, origin, hasContent }: Props) {
  const content = { title: "Latest content, wrapped for a model", code: `curl ${origin}/api/v1/content/${slug}` };
  const ways = [
    { title: "Changes as Atom", code: `curl ${origin}/vendors/${slug}/feed.xml` },
    { title: "Detail, snapshots and diffs", code: `curl ${origin}/api/v1/vendors/${slug}` },
    ...(hasContent ? [content] : []),
    { title: "MCP resource; sessions may subscribe", code: `tapedeck://vendors/${slug}` },
  ];
  return (
    <>
      <p>
        <a href={`/vendors/${slug}/feed.xml`}>Atom feed</a> of this vendor's changes.
      </p>
      <dl className={styles.ways}>
        {ways.map(({ title, code }) => (
          <div key={code}>
            <dt>{title}</dt>
            <dd>
              <CodeBlock code={code} label={title} wrap />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
