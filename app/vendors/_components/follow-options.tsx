import { CodeBlock } from "../../_components/code-block";
import styles from "./follow-options.module.css";

type Props = {
  slug: string;
  origin: string;
  /** Whether the API returns the latest content: it was fetched, and its security score does not block it. */
  hasContent: boolean;
};

/** Ways to follow a vendor: its feed, the API, MCP. */
export function FollowOptions({ slug, origin, hasContent }: Props) {
  const content = { title: "Latest content, wrapped for models", code: `curl ${origin}/api/v1/content/${slug}` };
  const options = [
    { title: "Changes as Atom", code: `curl ${origin}/vendors/${slug}/feed.xml` },
    { title: "Details, snapshots and diffs", code: `curl ${origin}/api/v1/vendors/${slug}` },
    ...(hasContent ? [content] : []),
    { title: "MCP resource, with subscriptions", code: `tapedeck://vendors/${slug}` },
  ];
  return (
    <>
      <p>
        <a href={`/vendors/${slug}/feed.xml`}>Atom feed</a> of this vendor's changes.
      </p>
      <dl className={styles.options}>
        {options.map(({ title, code }) => (
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
