import { describe, expect, it } from "vitest";
import type { RequestView } from "#lib/server/http/request";
import { requestOrigin } from "#lib/server/http/request";

const view = (headers: Record<string, string>, encrypted = false) =>
  ({ header: (name: string) => headers[name] ?? null, encrypted }) as unknown as RequestView;
const forwarded = { host: "inner:3000", "x-forwarded-host": "outer.example, proxy", "x-forwarded-proto": "https,http" };

describe("the origin of a request", () => {
  it.each([
    [{ host: "a.example" }, "http://a.example"],
    [{ host: "a.example:8080" }, "http://a.example:8080"],
    [{ host: "[::1]:3000" }, "http://[::1]:3000"],
    [{ host: "LEGAL.localhost:3000" }, "http://legal.localhost:3000"],
  ])("is derived from %j", (headers, origin) => {
    expect(requestOrigin(view(headers), { proxyCount: 0 }).origin).toBe(origin);
  });

  it.each(["", "a b", "a/b", "a@b", "a.example:999999", "a.example#x", "-a", "a\\b", "<script>"])(
    "ignores the invalid host %j",
    (host) => {
      expect(requestOrigin(view({ host }), { proxyCount: 0 }).origin).toBe("http://localhost");
    },
  );

  it("uses a proxy's headers only if the proxy is trusted, and prefers BASE_URL", () => {
    expect(requestOrigin(view(forwarded), { proxyCount: 0 }).origin).toBe("http://inner:3000");
    expect(requestOrigin(view(forwarded), { proxyCount: 2 }).origin).toBe("https://outer.example");
    expect(requestOrigin(view(forwarded), { proxyCount: 1 }).origin).toBe("http://proxy");
    expect(requestOrigin(view(forwarded), { proxyCount: 2, baseUrl: "https://base.example" }).origin).toBe(
      "https://base.example",
    );
    expect(requestOrigin(view({ host: "a.example" }, true), { proxyCount: 0 }).origin).toBe("https://a.example");
  });
});
