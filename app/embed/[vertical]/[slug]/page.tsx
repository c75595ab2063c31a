import type { Metadata } from "next";
import { getPageContext } from "../../../_components/page-context";
import { Notice } from "../../../_components/page-parts";
import { CassettePlayer } from "../../../_components/player/cassette-player";
import { loadPlayerPage } from "../../../_components/player/load-player";
import { parsePosition, parseSpeed } from "../../../_components/player/url-state";
import styles from "../../embed.module.css";
import EmbedNotFound from "../../not-found";

type Query = Record<"t" | "speed" | "autoplay" | "theme", string | string[] | undefined>;
type Props = { params: Promise<{ vertical: string; slug: string }>; searchParams: Promise<Query> };

export const metadata: Metadata = { title: "Player", robots: { index: false } };

const themes: Record<string, string | undefined> = { light: styles.light, dark: styles.dark };

export default async function EmbedPage({ params, searchParams }: Props) {
  const { vertical, slug } = await params;
  const context = await getPageContext();
  const result = await loadPlayerPage(context, `${vertical}/${slug}`);
  const { t, speed, autoplay, theme } = await searchParams;
  if (!("data" in result)) {
    const { code, message } = result.error;
    return code === "not_found" ? <EmbedNotFound /> : <Notice tone="error">{message}</Notice>;
  }
  const { data } = result;
  const { summary } = data;
  return (
    <div className={`stack tight ${styles.player} ${themes[String(theme)] ?? ""}`}>
      <header className={`${styles.head} caption`}>
        <h1>{summary.title}</h1>
        <a href={`/replay/${summary.id}`} target="_blank" rel="noopener">
          {summary.provenance.kind} · {context.site.display_name}
        </a>
      </header>
      <CassettePlayer
        data={data}
        placement="embed"
        autoplay={autoplay === "1"}
        initialMs={parsePosition(t, summary.durationMs)}
        initialSpeed={parseSpeed(speed)}
      />
    </div>
  );
}
