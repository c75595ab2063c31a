import { describe, expect, it } from "vitest";
import { ConfigError, parseConfig } from "#lib/platform/config";

const messageOf = (environment: Record<string, string>) => {
  try {
    parseConfig(environment);
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

describe("the configuration", () => {
  it("has a default for every variable, and treats an empty value as unset", () => {
    const { PORT, HOST, CASSETTE_STORE, LOG_LEVEL } = parseConfig({ PORT: "", BASE_URL: "", DATABASE_URL: "" });
    expect([PORT, HOST, CASSETTE_STORE, LOG_LEVEL]).toEqual([3000, "127.0.0.1", "folder", "info"]);
  });

  it.each([
    ["PORT", "0"],
    ["PORT", "65536"],
    ["PORT", "3000.5"],
    ["BASE_URL", "example.com"],
    ["BASE_URL", "https://example.com/path"],
    ["BASE_URL", "ftp://example.com"],
    ["DATABASE_URL", "mysql://localhost/x"],
    ["CASSETTE_STORE", "s3"],
    ["CASSETTE_BLOB_ACCESS", "secret"],
    ["LOG_LEVEL", "verbose"],
    ["TRUST_PROXY", "yes"],
    ["TRUST_PROXY", "11"],
    ["TRUST_PROXY", "-1"],
    ["SITE_URLS", "legal"],
    ["SITE_URLS", "legal=https://a.example/x"],
  ])("rejects %s=%s with a line that names the variable", (name, value) => {
    const lines = messageOf({ [name]: value })
      .split("\n")
      .filter((line) => line.startsWith(`  ${name}: `));
    expect(lines.length).toBeGreaterThan(0);
  });

  it("never includes a secret in its message", () => {
    expect(messageOf({ DATABASE_URL: "mysql://user:hunter2@localhost/x" })).not.toContain("hunter2");
  });

  it("parses the number of trusted proxies", () => {
    const countOf = (value: string) => parseConfig({ TRUST_PROXY: value }).TRUST_PROXY;
    expect(["off", "on", "1", "2", ""].map(countOf)).toEqual([0, 1, 1, 2, undefined]);
  });

  it("parses the sites' URLs", () => {
    const { SITE_URLS } = parseConfig({ SITE_URLS: "legal=https://l.example, finance=https://f.example:8443/" });
    expect(SITE_URLS).toEqual({ legal: "https://l.example", finance: "https://f.example:8443" });
  });
});
