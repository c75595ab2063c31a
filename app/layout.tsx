import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import type { ReactNode } from "react";
import { requestSite } from "./_components/request-site";
import { SiteFooter } from "./_components/site-footer";
import { SiteHeader } from "./_components/site-header";
import "./globals.css";

const sans = localFont({
  src: "../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2",
  weight: "400 700",
  variable: "--font-sans",
});
const mono = localFont({
  src: [
    { path: "../node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2", weight: "400" },
    { path: "../node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-500-normal.woff2", weight: "500" },
  ],
  variable: "--font-mono",
});

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#FAF8F4" },
    { media: "(prefers-color-scheme: dark)", color: "#12110E" },
  ],
};

export async function generateMetadata(): Promise<Metadata> {
  const { site, origin } = await requestSite();
  return {
    metadataBase: new URL(origin),
    title: { default: site.display_name, template: `%s · ${site.display_name}` },
    description: site.tagline,
  };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const { site } = await requestSite();
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`}>
      <body>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <SiteHeader name={site.display_name} />
        <main id="main">{children}</main>
        <SiteFooter />
      </body>
    </html>
  );
}
