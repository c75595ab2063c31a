import type { Clock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { dayMs } from "#lib/platform/time";
import type { SiteContext } from "./site-context";

type Origin = Pick<SiteContext, "origin">;

/** Paths that change state, or show a purchase to one browser. */
const disallowedPaths = [
  "/api/cron/",
  "/api/webhooks/",
  "/api/v1/keys/",
  "/api/v1/payment/",
  "/api/v1/webhooks",
  "/welcome",
];

/** Returns the site's /robots.txt. */
export function robotsTxt({ origin }: Origin): string {
  const rules = ["User-agent: *", "Allow: /", ...disallowedPaths.map((path) => `Disallow: ${path}`)];
  return `${rules.join("\n")}\n\nSitemap: ${origin}/sitemap.xml\n`;
}

type SecurityContext = Pick<SiteContext, "origin"> & { clock: Clock };

/** How long the file is valid, in days; RFC 9116 recommends less than a year. */
const validityDays = 180;

/** Returns the expiry at midnight UTC, so that the file stays the same all day. */
function expiryOf(now: Date): string {
  const day = Math.floor(now.getTime() / dayMs);
  return new Date((day + validityDays) * dayMs).toISOString();
}

/** Returns the site's /.well-known/security.txt (RFC 9116). Without a configured contact it names the security page. */
export function securityTxt(
  { origin, clock }: SecurityContext,
  { contact = config().SECURITY_CONTACT }: { contact?: string | undefined } = {},
): string {
  const policy = `${origin}/docs/security`;
  const fields = {
    Contact: contact ?? policy,
    Expires: expiryOf(clock.now()),
    "Preferred-Languages": "en",
    Canonical: `${origin}/.well-known/security.txt`,
    Policy: policy,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join("\n")}\n`;
}
