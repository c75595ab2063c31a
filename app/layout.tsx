import localFont from "next/font/local";
import "./globals.css";
import "./tables.css";
import "./utilities.css";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { pathHeader } from "#lib/server/http/page-headers";
import { Frame } from "./_components/frame";
import { Link } from "./_components/link";
import { getPageContext } from "./_components/page-context";
import styles from "./_components/site.module.css";
import { SiteFooter } from "./_components/site-footer";
import { SiteNav } from "./_components/site-nav";

function SiteHeader({ name }: { name: string }) {
  return (
    <header className={styles.header}>
      <div className={`${styles.width} ${styles.bar}`}>
        <Link className={styles.brand} href="/">
          <svg aria-hidden="true" viewBox="0 0 28 18" width="28" height="18" stroke="currentColor" strokeWidth="2">
            <path d="M2 9v3M6 9V4M10 9v5M18 9v7M22 9V5M26 9V6" />
            <path d="M14 17V1" />
          </svg>
          {name}
        </Link>
        <SiteNav />
      </div>
    </header>
  );
}

// `optional`: a font that loads late is used from the next page on, because swapping it in would shift this one.
const sans = localFont({
  src: "../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2",
  weight: "400 700",
  display: "optional",
  variable: "--font-sans",
});
const mono = localFont({
  src: [
    { path: "../node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2", weight: "400" },
    { path: "../node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-500-normal.woff2", weight: "500" },
  ],
  display: "optional",
  // The generated fallback font is proportional, so it would not match a monospaced font.
  adjustFontFallback: false,
  variable: "--font-mono",
});

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#FAF8F4" },
    { media: "(prefers-color-scheme: dark)", color: "#12110E" },
  ],
};

/** The share image of a page, for Open Graph. */
function shareImage(path: string) {
  return { url: `/og${path === "/" ? "/index" : path}.png`, width: 1200, height: 630 };
}

export async function generateMetadata(): Promise<Metadata> {
  const { site, origin } = await getPageContext();
  const path = (await headers()).get(pathHeader) ?? "/";
  return {
    metadataBase: new URL(origin),
    title: { default: site.display_name, template: `%s · ${site.display_name}` },
    description: site.tagline,
    alternates: { canonical: path },
    openGraph: { type: "website", siteName: site.display_name, url: path, images: [shareImage(path)] },
    twitter: { card: "summary_large_image" },
  };
}

/** Returns the nonce of the page's policy, which `proxy.ts` sets on the request too. */
function nonceOf(given: Headers): string | undefined {
  return /'nonce-([^']+)'/.exec(given.get("content-security-policy") ?? "")?.[1];
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const { site } = await getPageContext();
  const feedTitle = `${site.display_name}: changes`;
  return (
    // The theme is set before React runs.
    <html lang="en" className={`${sans.variable} ${mono.variable}`} suppressHydrationWarning>
      {/* Not in the metadata: a page that sets its own alternates would replace these. */}
      <head>
        <script src="/theme.js" nonce={nonceOf(await headers())} />
        <link rel="describedby" href="/llms.txt" type="text/plain" />
        <link rel="alternate" href="/feed.xml" type="application/atom+xml" title={feedTitle} />
        <link rel="alternate" href="/feed.json" type="application/feed+json" title={feedTitle} />
      </head>
      <body>
        <Frame header={<SiteHeader name={site.display_name} />} footer={<SiteFooter />}>
          {children}
        </Frame>
      </body>
    </html>
  );
}
