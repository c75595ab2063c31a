import type { Config } from "#lib/platform/config";

type PageSettings = Pick<Config, "NODE_ENV" | "STRIPE_API_URL">;

type PageRequest = {
  path: string;
  /** Whether the client's connection is encrypted. */
  isSecure: boolean;
  /** Unguessable, and another one for each answer. */
  nonce: string;
};

/** In which header a page finds its own path. */
export const pathHeader = "x-tapedeck-path";

/** Pages that other sites may show in a frame. */
const framable = /^\/embed\//;
const hstsSeconds = 365 * 24 * 60 * 60;

/** Forms lead to the payment provider's page too, and browsers check redirects of forms. */
function formTargets({ STRIPE_API_URL }: PageSettings): string {
  const { protocol, hostname } = new URL(STRIPE_API_URL);
  return protocol === "http:" ? `'self' https: http://${hostname}:*` : "'self' https:";
}

/**
 * What a page may load and do: its own origin alone, scripts by nonce, no inline style, frames of others only where a
 * page is made for them.
 */
export function contentSecurityPolicy({ path, nonce }: PageRequest, settings: PageSettings): string {
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
    "form-action": formTargets(settings),
    "base-uri": "'none'",
    "frame-ancestors": framable.test(path) ? "*" : "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

/** The security headers of a page. */
export function pageHeaders(request: PageRequest, settings: PageSettings): Record<string, string> {
  return {
    "Content-Security-Policy": contentSecurityPolicy(request, settings),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    ...(framable.test(request.path) ? {} : { "X-Frame-Options": "DENY" }),
    ...(request.isSecure ? { "Strict-Transport-Security": `max-age=${hstsSeconds}` } : {}),
  };
}
