import type { Clock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { dayMs } from "#lib/platform/time";
import type { DiscoveryContext } from "./context";

type SecurityContext = Pick<DiscoveryContext, "origin"> & { clock: Clock };

/** How long a copy of the file may be believed, in days; RFC 9116 recommends less than a year. */
const validityDays = 180;

/** Midnight UTC, so that the file is the same all day. */
function expiryOf(now: Date): string {
  const day = Math.floor(now.getTime() / dayMs);
  return new Date((day + validityDays) * dayMs).toISOString();
}

/** The site's /.well-known/security.txt (RFC 9116). Without a contact of the operator's it names the security page. */
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
