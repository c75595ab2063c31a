import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { pathHeader } from "#lib/server/http/page-headers";
import { Frame } from "./_components/frame";
import { requestSite } from "./_components/request-site";
import { SiteFooter } from "./_components/site-footer";
import { SiteHeader } from "./_components/site-header";
import "./globals.css";

// Optional: a font that comes late is for the next page, for it would shift this one.
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
  // The one that is made up has the widths of letters that are not all the same.
  adjustFontFallback: false,
  variable: "--font-mono",
});

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#FAF8F4" },
    { media: "(prefers-color-scheme: dark)", color: "#12110E" },
  ],
};

/** The address of a page's share image. */
function shareImage(path: string) {
  return { url: `/og${path === "/" ? "/index" : path}.png`, width: 1200, height: 630 };
}

export async function generateMetadata(): Promise<Metadata> {
  const { site, origin } = await requestSite();
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

export default async function RootLayout({ children }: { children: ReactNode }) {
  const { site } = await requestSite();
  const feedTitle = `${site.display_name}: changes`;
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`}>
      {/* Here and not in the metadata: a page that sets its own alternates would put these out. */}
      <head>
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
