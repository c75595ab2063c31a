import { CodeBlock } from "../../_components/code-block";
import { Link } from "../../_components/link";

type Props = {
  slug: string;
  origin: string;
  /** Whether the API returns the latest content: it was fetched, and its security score does not block it. */
  hasContent: boolean;
  /** Whether the server sends mail. */
  hasMail: boolean;
};

/** Ways to follow a vendor: the addresses of its feeds, e-mail, webhooks, the API and MCP. */
export function FollowOptions({ slug, origin, hasContent, hasMail }: Props) {
  const page = `${origin}/vendors/${slug}`;
  return (
    <>
      <p>
        Add one of these addresses to a feed reader (<a href={`/vendors/${slug}/feed.xml`}>Atom</a>,{" "}
        <a href={`/vendors/${slug}/feed.json`}>JSON</a>). It needs no key, and has the ten newest changes.
      </p>
      <div className="columns">
        <CodeBlock code={`${page}/feed.xml`} label="Atom feed" wrap />
        <CodeBlock code={`${page}/feed.json`} label="JSON Feed" wrap />
      </div>
      {hasMail && (
        <>
          <h3>E-mail</h3>
          <p>
            <Link href={`/follow?vendor=${slug}`}>Follow by e-mail</Link>: each change, daily or weekly, without an
            account. With a key, add filters at <Link href="/key">Your key</Link>; see{" "}
            <Link href="/docs/email">E-mail digests</Link>.
          </p>
        </>
      )}
      <h3>Webhooks</h3>
      <p>
        With a key of the Pro tier, your server gets a signed request for each change of significance 4 or 5. Set one up
        at <Link href="/key">Your key</Link>; <Link href="/docs/webhooks">Webhooks</Link> describes the request and how
        to verify it.
      </p>
      <h3>API and MCP</h3>
      <div className="columns">
        <CodeBlock code={`curl ${origin}/api/v1/vendors/${slug}`} label="Details, snapshots and diffs" wrap />
        {hasContent && (
          <CodeBlock code={`curl ${origin}/api/v1/content/${slug}`} label="Latest content, wrapped for models" wrap />
        )}
        <CodeBlock code={`tapedeck://vendors/${slug}`} label="MCP resource, with subscriptions" wrap />
      </div>
    </>
  );
}
