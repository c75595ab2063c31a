import { AppError } from "#lib/platform/errors";
import { cassettesOfSite, findExampleCassette, replayUrl } from "#lib/replay/cassettes/index";
import type { ProductContext } from "#lib/server/products";
import { ButtonLink } from "../_components/button";
import { CodeBlock } from "../_components/code-block";
import { JsonLd } from "../_components/json-ld";
import { Link } from "../_components/link";
import { orAppError } from "../_components/load-data";
import { Notice } from "../_components/notice";
import { getPageContext } from "../_components/page-context";
import { CassettePlayer } from "../_components/player/cassette-player";
import { loadPlayer, type PlayerData } from "../_components/player/load-player";
import { providerSnippets } from "../_components/provider-snippets";
import { TimelineLegend } from "../_components/timeline";
import styles from "./home.module.css";
import { RecentChanges } from "./recent-changes";

const sections = [
  {
    href: "/replay",
    title: "Replay",
    text: "Play every cassette, scrub on its timeline, and copy the code that replays it.",
  },
  { href: "/vendors", title: "Vendors", text: "Read vendors’ llms.txt files, and see what changed." },
  { href: "/docs", title: "Docs", text: "Quickstart, HTTP API, MCP, and how to record your own cassettes." },
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

/** What the home page plays, and the code that plays another cassette by the OpenAI SDK. */
type Featured = { player: PlayerData; sdkCode: string | undefined };

async function findSdkCode(context: ProductContext): Promise<string | undefined> {
  const { origin } = context;
  for (const { id, provider, parentId } of await cassettesOfSite(context)) {
    const { sdkTitle, sdk } = providerSnippets[provider] ?? {};
    if (sdkTitle === "OpenAI SDK" && parentId === null) return sdk?.({ id, origin });
  }
  return undefined;
}

async function loadFeatured(context: ProductContext): Promise<Featured | undefined> {
  const chosen = await findExampleCassette(context);
  if (!chosen) return undefined;
  const [player, sdkCode] = await Promise.all([loadPlayer(context, chosen.id), findSdkCode(context)]);
  return player && { player, sdkCode };
}

function FeaturedCassette({ player: data, sdkCode, origin }: Featured & { origin: string }) {
  const { id, title, provenance } = data.summary;
  const kinds = [...new Set(data.ticks.map(({ kind }) => kind))];
  return (
    <section aria-labelledby="playing" className={styles.playing}>
      <div className={styles.title}>
        <h2 id="playing">
          <Link href={`/replay/${id}`}>{title}</Link>
        </h2>
        <p className="muted">
          {provenance.kind}, {provenance.timing} timing
        </p>
        <TimelineLegend kinds={kinds} />
      </div>
      <CassettePlayer data={data} placement="home" autoplay initialMs={null} initialSpeed={1} />
      <CodeBlock code={`curl -N ${replayUrl(origin, id)}`} label="curl command" wrap />
      <p className="muted">Get the same stream in your terminal, with the same bytes and timing.</p>
      {sdkCode !== undefined && (
        <>
          <CodeBlock code={sdkCode} label="OpenAI SDK code" />
          <p className="muted">
            Or point an unmodified SDK here: OpenAI’s, or{" "}
            <Link href="/docs/test-your-app">that of Anthropic, Gemini or Ollama</Link>.
          </p>
        </>
      )}
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
  return (
    <>
      <JsonLd data={webSite(context)} />
      <header className={styles.hero}>
        <h1>Test your streaming code against replayed LLM responses.</h1>
        <p className="lead">
          {context.site.tagline} Every replay has the same bytes and timing, and needs no API key and no tokens.
          Tapedeck also tracks vendors’ llms.txt files and shows what they changed.
        </p>
      </header>
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
      {featured && !(featured instanceof AppError) && <FeaturedCassette {...featured} origin={context.origin} />}
      <RecentChanges context={context} />
      <SectionLinks />
    </>
  );
}
