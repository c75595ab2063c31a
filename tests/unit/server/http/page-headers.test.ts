import { describe, expect, it } from "vitest";
import { pageHeaders } from "#lib/server/http/page-headers";

const settings = { NODE_ENV: "production", STRIPE_API_URL: "https://api.stripe.com" } as const;
const page = { path: "/docs/replay", isSecure: true, nonce: "bm9uY2U=" };

describe("the headers of a page", () => {
  it("allow only the page's own origin, and scripts by nonce", () => {
    const { "Content-Security-Policy": policy = "", ...headers } = pageHeaders(page, settings);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'nonce-bm9uY2U=' 'strict-dynamic';");
    expect(policy).not.toMatch(/unsafe|http:|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({ "X-Frame-Options": "DENY", "Strict-Transport-Security": "max-age=31536000" });
  });

  it("allow framing by other sites only for embed pages", () => {
    const headers = pageHeaders({ ...page, path: "/embed/legal/nda-review" }, settings);
    expect(headers["Content-Security-Policy"]).toContain("frame-ancestors *");
    expect(headers["X-Frame-Options"]).toBeUndefined();
    expect(pageHeaders({ ...page, path: "/x/embed/legal" }, settings)["X-Frame-Options"]).toBe("DENY");
  });

  it("send Strict-Transport-Security only over HTTPS", () => {
    expect(pageHeaders({ ...page, isSecure: false }, settings)["Strict-Transport-Security"]).toBeUndefined();
  });

  it("allow form submissions to a payment provider on this machine only if one is configured", () => {
    const local = pageHeaders(page, { ...settings, STRIPE_API_URL: "http://127.0.0.1:4000" });
    expect(local["Content-Security-Policy"]).toContain("form-action 'self' https: http://127.0.0.1:*");
  });
});
