import { DatabaseUnavailableError } from "#lib/platform/database/unavailable";
import { AppError } from "#lib/platform/errors";
import { version } from "#lib/platform/version";
import { findExampleCassette, replayUrl } from "#lib/replay/cassettes/index";
import { markPartial } from "#lib/server/http/page-response";
import type { ProductContext } from "#lib/server/products";
import { listRecentChanges, type RecentChange } from "#lib/tracking/intelligence/index";
import { ButtonLink } from "../_components/button";
import { CodeBlock } from "../_components/code-block";
import { SamplesNote } from "../_components/fetching-notice";
import { JsonLd } from "../_components/json-ld";
import { Link } from "../_components/link";
import { orAppError, orUndefined } from "../_components/load-data";
import { getPageContext } from "../_components/page-context";
import { Notice } from "../_components/page-parts";
import { CassettePlayer } from "../_components/player/cassette-player";
import { loadPlayer, type PlayerData } from "../_components/player/load-player";
import { providerSnippets } from "../_components/provider-snippets";
import { RelativeTime } from "../_components/relative-time";
import { TimelineLegend } from "../_components/timeline";
import { ChangeEntry } from "./changes/change-list";
import changeStyles from "./changes/change-list.module.css";
import styles from "./home.module.css";

const sections = [
  {
    href: "/replay",
    title: "Gallery",
    text: "Streams to build user interfaces against, with their timing and the code that replays each.",
  },
  {
    href: "/docs/mcp",
    title: "MCP",
    text: "Let an agent find, read and play cassettes, and ask what vendors changed.",
  },
  { href: "/docs/api/replay", title: "HTTP API", text: "Replays, vendors, changes and search, described by OpenAPI." },
  { href: "/pricing", title: "Pricing", text: "Replay is free. Paid tiers add requests, diffs and webhooks." },
] as const;

/** Links to the main sections of the site. */
function SectionLinks() {
  return (
    <nav aria-label="Sections" className={styles.sections}>
      <ul>
        {sections.map(({ href, title, text }) => (
          <li key={href}>
            <Link href={href}>
              <strong>{title}</strong>
              <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export const dynamic = "force-dynamic";

/** Commands, where they run, and what follows: the package, and the runs in `public/readme/test-suite.svg`. */
const runs = [
  ["npm ci && npm run package", "in a clone of Tapedeck", `$ npm install -D ./vendor/tapedeck-testing-${version}.tgz`],
  ["npx tapedeck run -- npm test", "records, with your key", "tapedeck: 0 played, 3 recorded, 0 missed, 0 unused"],
  ["npx tapedeck run -- npm test", "replays, without it", "tapedeck: 3 played, 0 recorded, 0 missed, 0 unused"],
  [
    "npx tapedeck run -- npm test",
    "in CI, with a changed prompt",
    `tapedeck: 2 played, 0 recorded, 1 missed, 1 unused
  "trip.test.js > packs": no recording of POST /v1/chat/completions. Nearest is 001.cassette.json: /messages/0/content was "What should I pack for Lisbon?" and is now "What should I pack for Porto?".
  Record it with: npx tapedeck run --mode auto -- npm test`,
  ],
] as const;

function TestRuns() {
  return (
    <pre className={styles.runs}>
      {runs.map(([command, comment, rest]) => (
        <code key={comment}>
          {`$ ${command}  `}
          <span className="muted"># {comment}</span>
          {`\n${rest}\n`}
        </code>
      ))}
    </pre>
  );
}

async function loadChanges(context: ProductContext): Promise<RecentChange[] | AppError> {
  const changes = await orUndefined(context, () => listRecentChanges(context), "could not read the recent changes");
  return changes ?? new DatabaseUnavailableError();
}

/** Summaries of what vendors changed in the last seven days, the newest first. */
async function Changes({ context }: { context: ProductContext }) {
  const changes = await loadChanges(context);
  if (changes instanceof AppError) {
    return (
      <Notice tone="error" title="The changes can’t be loaded right now.">
        {changes.message}
      </Notice>
    );
  }
  if (changes.length === 0) {
    return <Notice tone="empty">No public vendor changed its file in the last seven days.</Notice>;
  }
  return (
    <ol className={`${changeStyles.changes} plain-list`}>
      {changes.map(({ diffId, vendor, createdAt, ...report }) => (
        <ChangeEntry
          key={diffId}
          {...report}
          heading="h3"
          domain={vendor.domain}
          name={<Link href={`/vendors/${vendor.slug}/diffs/${diffId}`}>{vendor.name}</Link>}
        >
          <RelativeTime at={createdAt} now={context.clock.now()} />
        </ChangeEntry>
      ))}
    </ol>
  );
}

/** The newest changes of vendors, and what samples among them are. Its parts wait for the database at the same time. */
function RecentChanges({ context }: { context: ProductContext }) {
  return (
    <div>
      <Changes context={context} />
      <div className="muted">
        <SamplesNote context={context} />
      </div>
    </div>
  );
}

/** The two uses of Tapedeck, each with its page. */
function Uses({ context }: { context: ProductContext }) {
  return (
    <div className={`${styles.uses} columns`}>
      <section aria-labelledby="tests">
        <h2 id="tests">Record once, replay in every run</h2>
        <p className="muted">
          Put one command in front of your test runner. Clients and code stay as they are, and a request that has
          changed fails with what is different.
        </p>
        <TestRuns />
        <div>
          <ButtonLink href="/docs/testing" variant="primary">
            Record your tests
          </ButtonLink>
        </div>
      </section>
      <section aria-labelledby="changes">
        <h2 id="changes">Know what your vendors changed</h2>
        <p className="muted">
          Docs and prices change without notice. Tapedeck keeps every version of a vendor’s llms.txt, and reports what
          each change means, with its significance from 1 to 5: <Link href="/changes">all changes</Link>.
        </p>
        <RecentChanges context={context} />
        <div>
          <ButtonLink href="/vendors">Follow your vendors</ButtonLink>
        </div>
      </section>
    </div>
  );
}

async function loadFeatured(context: ProductContext): Promise<PlayerData | undefined> {
  const chosen = await findExampleCassette(context);
  return chosen && loadPlayer(context, chosen.id);
}

/** A cassette in the player, and the code that replays it. */
function FeaturedCassette({ data, origin }: { data: PlayerData; origin: string }) {
  const { id, title, provider, provenance } = data.summary;
  const kinds = [...new Set(data.ticks.map(({ kind }) => kind))];
  const snippet = providerSnippets[provider];
  return (
    <section aria-labelledby="playing" className={`${styles.playing} stack`}>
      <div className={`${styles.title} row caption`}>
        <h2 id="playing" className="minor">
          <Link href={`/replay/${id}`}>{title}</Link>
        </h2>
        <p>
          {provenance.kind}, {provenance.timing} timing
        </p>
        <TimelineLegend kinds={kinds} />
      </div>
      <CassettePlayer data={data} placement="home" autoplay initialMs={null} initialSpeed={1} />
      <p className="muted">The same stream, with the same bytes and timing, in your terminal and your code:</p>
      <CodeBlock code={`curl -N ${replayUrl(origin, id)}`} label="curl command" wrap />
      {snippet && <CodeBlock code={snippet.sdk({ id, origin })} label={`${snippet.sdkTitle} code`} />}
    </section>
  );
}

function webSite({ site, origin }: ProductContext) {
  const urlTemplate = `${origin}/docs/search-results?q={query}`;
  return {
    "@type": "WebSite",
    name: site.display_name,
    description: site.tagline,
    url: origin,
    potentialAction: {
      "@type": "SearchAction",
      target: { "@type": "EntryPoint", urlTemplate },
      "query-input": "required name=query",
    },
  };
}

export default async function HomePage() {
  const context = await getPageContext();
  const featured = await orAppError(() => loadFeatured(context));
  if (featured instanceof AppError) markPartial();
  return (
    <>
      <JsonLd data={webSite(context)} />
      <header className={styles.hero}>
        <h1>{context.site.tagline}</h1>
        <p className="lead">
          Record the model calls of your tests once, and replay them without a key, network or tokens. Hear when a
          vendor’s change makes your code stale.
        </p>
        <p className="muted">
          Open source (MIT), on your own machine. Moving from{" "}
          <Link href="/docs/moving">vcrpy, nock, Polly.js, MSW or aimock</Link>?
        </p>
      </header>
      <Uses context={context} />
      {featured === undefined && (
        <Notice tone="empty" title="This site has no cassettes yet.">
          <ButtonLink href="/docs/recording">Record one</ButtonLink>
        </Notice>
      )}
      {featured instanceof AppError && (
        <Notice tone="error" title="The cassettes can’t be played right now.">
          {featured.message}
        </Notice>
      )}
      {featured && !(featured instanceof AppError) && <FeaturedCassette data={featured} origin={context.origin} />}
      <SectionLinks />
    </>
  );
}
