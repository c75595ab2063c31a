import type { Config } from "#lib/platform/config";

type PageSettings = Pick<Config, "NODE_ENV" | "STRIPE_API_URL">;

type PageRequest = {
  path: string;
  /** Whether the client's connection is encrypted. */
  isSecure: boolean;
  /** Random, and different for each response. */
  nonce: string;
};

/** Request header with the path of the page. */
export const pathHeader = "x-tapedeck-path";

/** Returns a nonce for the scripts of a page. */
export const newNonce = (): string => Buffer.from(crypto.randomUUID()).toString("base64");

/** Pages that other sites may embed in a frame. */
const embeddable = /^\/embed\//;
const hstsSeconds = 31_536_000;

/** Forms also redirect to the payment provider, and browsers check redirects of forms. */
function formActions({ STRIPE_API_URL }: PageSettings): string {
  const { protocol, hostname } = new URL(STRIPE_API_URL);
  return protocol === "http:" ? `'self' https: http://${hostname}:*` : "'self' https:";
}

/**
 * Returns the Content-Security-Policy of a page: its own origin only, scripts by nonce, no inline styles, and framing by
 * other sites only for embeddable pages.
 */
function contentSecurityPolicy({ path, nonce }: PageRequest, settings: PageSettings): string {
  const isDevelopment = settings.NODE_ENV === "development";
  const directives = {
    "default-src": "'none'",
    "script-src": `'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    "style-src": isDevelopment ? "'self' 'unsafe-inline'" : `'self' 'nonce-${nonce}'`,
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": isDevelopment ? "'self' ws:" : "'self'",
    "frame-src": "'self'",
    "manifest-src": "'self'",
    "form-action": formActions(settings),
    "base-uri": "'none'",
    "frame-ancestors": embeddable.test(path) ? "*" : "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

/** Returns the security headers of a page. */
export function pageHeaders(request: PageRequest, settings: PageSettings): Record<string, string> {
  return {
    "Content-Security-Policy": contentSecurityPolicy(request, settings),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    ...(embeddable.test(request.path) ? {} : { "X-Frame-Options": "DENY" }),
    ...(request.isSecure ? { "Strict-Transport-Security": `max-age=${hstsSeconds}` } : {}),
  };
}
