import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { ImageResponse } from "next/og";
import pLimit from "p-limit";
import { AppError } from "#lib/platform/errors";
import { refuse, toResponse } from "#lib/server/http/reply";
import { orAppError } from "../../_components/load-data";
import { getPageContext } from "../../_components/page-context";
import { describeShare, type ShareCard } from "./share-card";

export const dynamic = "force-dynamic";
/** Seconds: drawing takes one or two. */
export const maxDuration = 30;

const size = { width: 1200, height: 630 };
const colours = { paper: "#FAF8F4", ink: "#17150F", muted: "#6B665A", line: "#E4DFD3", signal: "#C8401C" };
const kindColours = { text: colours.ink, thinking: "#8A7BB8", tool: "#1F7A6D", error: "#B3261E", other: "#B9B2A3" };
/** Size of the timeline on the card, in pixels. */
const timeline = { width: 1072, height: 120 };
const maxTickCount = 400;
const maxLeadLength = 160;
/** Maximum size of all images in memory, in bytes: some five hundred. */
const maxCachedByteSize = 16 * 1024 * 1024;

const fontFolder = join(process.cwd(), "node_modules/@fontsource");
const fontFiles = {
  sans: "instrument-sans/files/instrument-sans-latin-600-normal.woff",
  mono: "ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff",
};
let fonts: Promise<{ name: string; data: Buffer; weight: 400 | 600 }[]> | undefined;

function loadFonts() {
  fonts ??= Promise.all([
    readFile(join(fontFolder, fontFiles.sans)).then((data) => ({ name: "sans", data, weight: 600 as const })),
    readFile(join(fontFolder, fontFiles.mono)).then((data) => ({ name: "mono", data, weight: 400 as const })),
  ]);
  return fonts;
}

type Kind = ShareCard["ticks"][number]["kind"];

/** Draws one path per kind, with a limited number of ticks, so that the image stays small. */
function drawTicks({ ticks, durationMs }: ShareCard, kind: Kind): string {
  const step = Math.max(1, Math.ceil(ticks.length / maxTickCount));
  const shown = ticks.filter((tick, index) => index % step === 0 && tick.kind === kind);
  return shown
    .map(({ atMs, level = 1 }) => {
      const x = durationMs > 0 ? Math.round((atMs / durationMs) * (timeline.width - 4)) + 2 : 2;
      return `M${x} ${timeline.height}V${Math.round(timeline.height - Math.max(0.08, level) * (timeline.height - 8))}`;
    })
    .join("");
}

/** Few ticks are drawn thicker. */
const sparseTickCount = 40;
/** Where the needle is if it only decorates, as a share of the width. */
const decorativeNeedle = 0.62;

function needleX({ needleMs, durationMs }: ShareCard): number {
  if (needleMs === undefined) return Math.round(timeline.width * decorativeNeedle);
  return Math.round((needleMs / durationMs) * (timeline.width - 4)) + 2;
}

function Ticks({ card }: { card: ShareCard }) {
  const kinds = (Object.keys(kindColours) as Kind[]).filter((kind) => card.ticks.some((tick) => tick.kind === kind));
  return (
    <svg
      aria-hidden="true"
      width={timeline.width}
      height={timeline.height}
      viewBox={`0 0 ${timeline.width} ${timeline.height}`}
    >
      <path d={`M0 ${timeline.height - 1}H${timeline.width}`} stroke={colours.line} strokeWidth="2" />
      {kinds.map((kind) => (
        <path
          key={kind}
          d={drawTicks(card, kind)}
          stroke={kindColours[kind]}
          strokeWidth={card.ticks.length <= sparseTickCount ? 8 : 2}
        />
      ))}
      <path d={`M${needleX(card)} 0V${timeline.height}`} stroke={colours.signal} strokeWidth="4" />
    </svg>
  );
}

function Card({ card, name }: { card: ShareCard; name: string }) {
  const lead = card.lead.length > maxLeadLength ? `${card.lead.slice(0, maxLeadLength - 1)}…` : card.lead;
  return (
    <div
      style={{
        width: "100%",
        height: "100%",
        display: "flex",
        flexDirection: "column",
        justifyContent: "space-between",
        padding: 64,
        background: colours.paper,
        color: colours.ink,
        fontFamily: "sans",
      }}
    >
      <div style={{ display: "flex", fontSize: 26, fontFamily: "mono", color: colours.muted }}>{name}</div>
      <div style={{ display: "flex", flexDirection: "column" }}>
        <div style={{ display: "flex", fontSize: card.title.length > 60 ? 52 : 68, lineHeight: 1.08 }}>
          {card.title}
        </div>
        <div style={{ display: "flex", marginTop: 24, fontSize: 28, lineHeight: 1.4, color: colours.muted }}>
          {lead}
        </div>
      </div>
      <Ticks card={card} />
    </div>
  );
}

type Share = { card: ShareCard; name: string };

/** Images are drawn one at a time, because drawing one blocks the process for about 100 ms. */
const oneAtATime = pLimit(1);

/** Drawn images by a digest of their content, so that each is drawn once, however many paths and clients ask for it. */
const images = new LRUCache<string, Buffer, Share>({
  maxSize: maxCachedByteSize,
  sizeCalculation: ({ byteLength }) => byteLength,
  fetchMethod: (_key, _stale, { context: { card, name } }) =>
    oneAtATime(async () => {
      const image = new ImageResponse(<Card card={card} name={name} />, { ...size, fonts: await loadFonts() });
      return Buffer.from(await image.arrayBuffer());
    }),
});

/** Returns the share image of a page: title, lead and a timeline; an error as the API does. */
export async function GET(_request: Request, { params }: { params: Promise<{ path?: string[] }> }): Promise<Response> {
  const { path = [] } = await params;
  const context = await getPageContext();
  const last = path.at(-1)?.replace(/\.png$/, "");
  const segments = last === undefined ? [] : [...path.slice(0, -1), ...(last === "index" ? [] : [last])];
  const card = await orAppError(() => describeShare(context, segments));
  if (card instanceof AppError) return toResponse(refuse(card), false);
  const share = { card, name: context.site.display_name };
  const digest = createHash("sha256").update(JSON.stringify(share)).digest("base64");
  const image = await images.forceFetch(digest, { context: share });
  return new Response(new Uint8Array(image), {
    headers: {
      "Content-Type": "image/png",
      "Cache-Control": "public, max-age=3600",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
