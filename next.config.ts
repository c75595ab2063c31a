import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { NextConfig } from "next";
import { pageSlug } from "./lib/discovery/content/page-slug";
import { buildDate, config } from "./lib/platform/config";

// An invalid environment fails the build, with one line per variable.
const { NODE_ENV, VERCEL } = config();

const docsSlugs = readdirSync(join(import.meta.dirname, "content/docs"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map(pageSlug);

const nextConfig: NextConfig = {
  poweredByHeader: false,
  experimental: {
    // Loading every page at the start would take half a second; the first visit of a page loads it.
    preloadEntriesOnStart: false,
    // They would be 80 MB of 112 MB, and stack traces in the log do not use them.
    turbopackSourceMaps: false,
    // Writing the cache for later builds takes a fifth of a build and 235 MB, so the first build, often the only one,
    // writes none.
    turbopackFileSystemCacheForBuild: existsSync(join(import.meta.dirname, ".next")),
  },
  // `npm test` checks types, with the packages of the tests, which a start does not install.
  typescript: { ignoreBuildErrors: true },
  reactStrictMode: true,
  // The title and description are in the head for every client: pages are kept, and sent to crawlers and browsers alike.
  htmlLimitedBots: /.*/,
  // An unknown /api path is a JSON 404, with or without a slash at its end.
  skipTrailingSlashRedirect: true,
  // The page had another name.
  redirects: async () => [
    { source: "/search", destination: "/docs/search-results", permanent: true },
    { source: "/docs/reference", destination: "/docs/api", permanent: true },
    { source: "/docs/messages", destination: "/docs/drop-in", permanent: true },
  ],
  // It blocks the first drawing of each page.
  headers: async () => [{ source: "/theme.js", headers: [{ key: "Cache-Control", value: "public, max-age=86400" }] }],
  // The server in front of Next answers these itself; on Vercel and in development, one route does.
  rewrites: async () => ({
    // Browsers get the pages of the models.
    beforeFiles: [
      {
        source: "/models/:path*",
        has: [{ type: "header" as const, key: "accept", value: "(?!.*text/html).*application/json.*" }],
        destination: "/v1/other",
      },
    ],
    afterFiles: [
      { source: "/docs/:page(.+)\\.md", destination: "/documents" },
      // Paths of clients that have another base URL than the protocols'.
      ...["/:name(responses|embeddings|messages)", "/responses/:id", "/chat/completions"].map((source) => ({
        source,
        missing: [{ type: "header" as const, key: "accept", value: "(.*)text/html(.*)" }],
        destination: "/v1/other",
      })),
      { source: "/:prefix(openai|anthropic|inference|model|v1beta1|v2)/:path+", destination: "/v1/other" },
      ...[
        "/:name(robots\\.txt|llms\\.txt|llms-full\\.txt|server\\.json|openapi\\.json|sitemap\\.xml|changelog\\.md|metrics)",
        "/.well-known/:path+",
        "/feed.:type(json|xml)",
        "/changes.:type(csv|jsonl)",
        "/vendors/:slug/feed.:type(json|xml)",
      ].map((source) => ({ source, destination: "/documents" })),
    ],
    fallback: [],
  }),
  env: {
    TAPEDECK_BUILD_DATE: buildDate,
    TAPEDECK_BUILT_ON_VERCEL: VERCEL ? "1" : "",
    // In development, pages come and go while the server runs.
    ...(NODE_ENV === "development" ? {} : { TAPEDECK_DOCS_SLUGS: docsSlugs.join(" ") }),
  },
  outputFileTracingIncludes: {
    "/**": ["./content/**/*", "./CHANGELOG.md"],
    // `?` stands for a bracket: as `/api/**`, the pattern would also match the pages in docs/api.
    "/{api/cron/?job?,{api,v1,v1beta}/??...path??}": ["./node_modules/.cache/tapedeck-workers/*.js"],
    "/og/**": ["./node_modules/@fontsource/{instrument-sans,ibm-plex-mono}/files/*-latin-{400,600}-normal.woff"],
  },
  // Next traces whole folders where code joins a path to the working directory. A pattern can match in the middle of a path.
  outputFileTracingExcludes: {
    "/**": [
      "./{biome,package-lock,tsconfig,vercel}.json",
      "./app/**/*.json/route.ts",
      // Bundled, as all modules are.
      "./lib/tracking/{security/phrases,intelligence/rules/text}/*.json",
      "./lib/replay/cassettes/recorder/key-formats.json",
      "./tests/{api,support}/**",
      "./node_modules/.cache/**",
      "./node_modules/@fontsource*/**",
      // Only for images of next/image, which no page has.
      "./node_modules/{sharp,@img}/**",
    ],
  },
  // Bundled, they would be copied into several chunks. pg-boss, nodemailer and the AI SDK would be an eighth of a build.
  serverExternalPackages: [
    "@ai-sdk/anthropic",
    "@ai-sdk/openai-compatible",
    "@prisma/adapter-pg",
    "@vercel/blob",
    "ai",
    "nodemailer",
    "pg-boss",
    "prom-client",
    "stripe",
    "undici",
  ],
};

export default nextConfig;
