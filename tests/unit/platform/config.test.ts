import { describe, expect, it } from "vitest";
import { sites } from "#lib/contract/sites";
import { ConfigError, isCi, parseConfig, withEnvironment } from "#lib/platform/config";
import { siteSlugs } from "#lib/platform/variables";

const messageOf = (environment: Record<string, string>) => {
  try {
    parseConfig(environment);
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

it.each([
  [{ CI: "true" }, true],
  [{ CI: "1", TF_BUILD: "" }, true],
  [{ CI: "false", GITHUB_ACTIONS: "true" }, true],
  [{ CI: "false" }, false],
  [{ CI: "0" }, false],
  [{ CI: "", TF_BUILD: "True" }, true],
  [{ JENKINS_URL: "http://127.0.0.1" }, true],
  [{ TEAMCITY_VERSION: "2026.1" }, true],
  [{}, false],
])("%j: whether it is a build of a CI system is %s", (environment, expected) => {
  const none = {
    CI: undefined,
    GITHUB_ACTIONS: undefined,
    TF_BUILD: undefined,
    JENKINS_URL: undefined,
    TEAMCITY_VERSION: undefined,
  };
  expect(withEnvironment({ ...none, ...environment }, isCi)).toBe(expected);
});

describe("the configuration", () => {
  it("has a default for every variable, and treats an empty value as unset", () => {
    const { PORT, HOST, LOG_LEVEL, ...rest } = parseConfig({ PORT: "", BASE_URL: "", OUTBOUND_ALLOWED_HOSTS: "" });
    expect([PORT, HOST, LOG_LEVEL]).toEqual([3000, "127.0.0.1", "info"]);
    expect(rest).toMatchObject({ CASSETTE_STORE: "folder", OUTBOUND_ALLOWED_HOSTS: [] });
  });

  it.each([
    ["help@tapes.example", "mailto:help@tapes.example"],
    ["mailto:help@tapes.example", "mailto:help@tapes.example"],
    ["https://tapes.example/help?topic=keys", "https://tapes.example/help?topic=keys"],
  ])("takes %s as the contact %s", (given, contact) => {
    expect(parseConfig({ SUPPORT_CONTACT: given }).SUPPORT_CONTACT).toBe(contact);
  });

  it("takes a mail server with a sender and BASE_URL only, and no message shows its password", () => {
    const smtp = "smtp://user:s%C3%A4cret%40@mail.example:2525";
    const from = { MAIL_FROM: "Tapedeck <alerts@tapes.example>", BASE_URL: "https://tapes.example" };
    const { SMTP_URL, MAIL_FROM } = parseConfig({ SMTP_URL: smtp, ...from });
    expect([SMTP_URL, MAIL_FROM]).toEqual([smtp, { name: "Tapedeck", address: "alerts@tapes.example" }]);
    expect(messageOf({ SMTP_URL: smtp, MAIL_FROM: from.MAIL_FROM })).toContain("SMTP_URL: needs BASE_URL");
    expect(messageOf({ SMTP_URL: smtp, BASE_URL: from.BASE_URL })).toContain("SMTP_URL: needs MAIL_FROM");
    const wrong = [
      "http://user:sEcret@mail.example",
      `${smtp}/path`,
      `${smtp}?pool=true`,
      "smtp://:sEcret@mail.example",
    ];
    for (const url of [...wrong, "smtp://user:sEcret%FF@mail.example", "smtp://"]) {
      const message = messageOf({ SMTP_URL: url, ...from });
      expect([url, message.includes("SMTP_URL: must be smtp://")]).toEqual([url, true]);
      expect(message).not.toMatch(/sEcret|s%C3/);
    }
    for (const MAIL_FROM of [
      "Tapedeck",
      "A <a@b.example>\r\nBcc: c@d.example",
      '"A" <a@b.example>',
      "a@b.example, c@d.example",
    ])
      expect(messageOf({ MAIL_FROM })).toContain("MAIL_FROM: must be an e-mail address");
  });

  it.each([
    [
      { STRIPE_SECRET_KEY: "k" },
      "STRIPE_SECRET_KEY: needs STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_STARTER, STRIPE_PRICE_PRO",
    ],
    [{ UPSTASH_REDIS_REST_URL: "https://redis.example.com" }, "UPSTASH_REDIS_REST_URL: needs UPSTASH_REDIS_REST_TOKEN"],
    [{ UPSTASH_SEARCH_REST_TOKEN: "t" }, "UPSTASH_SEARCH_REST_TOKEN: needs UPSTASH_SEARCH_REST_URL"],
    [{ MAIL_FROM: "alerts@tapes.example" }, "MAIL_FROM: needs SMTP_URL"],
  ])("rejects %j, a part of what belongs together", (environment, message) => {
    expect(messageOf(environment)).toContain(`\n  ${message}\n`);
  });

  it("knows the slugs of all sites", () => {
    expect(sites.map(({ slug }) => slug)).toEqual(siteSlugs);
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
    ["SUPPORT_CONTACT", "ask me"],
    ["SUPPORT_CONTACT", "javascript:alert(1)"],
    ["SUPPORT_CONTACT", "http://tapes.example"],
    ["VENDOR_FETCHING", "yes"],
    ["TRUST_PROXY", "yes"],
    ["TRUST_PROXY", "11"],
    ["TRUST_PROXY", "-1"],
    ["SITE", "nosuch"],
    ["SITE_URLS", "legal"],
    ["SITE_URLS", "nosuch=https://a.example"],
    ["SITE_URLS", "legal=https://a.example/x"],
    ...["127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "http://127.0.0.1:80", "*:80", "::1:80", "a:80/x", ":80"].map(
      (host): [string, string] => ["OUTBOUND_ALLOWED_HOSTS", `127.0.0.1:1,${host}`],
    ),
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

  it("parses the allowed hosts, normalized as in URLs", () => {
    const hosts = "127.0.0.1:8080, Vendors.localhost:80\n[0:0::1]:443 127.1:09";
    expect(parseConfig({ OUTBOUND_ALLOWED_HOSTS: hosts }).OUTBOUND_ALLOWED_HOSTS).toEqual([
      ...["127.0.0.1:8080", "vendors.localhost:80", "[::1]:443", "127.0.0.1:9"],
    ]);
  });

  it("parses the sites' URLs", () => {
    const { SITE_URLS } = parseConfig({ SITE_URLS: "legal=https://l.example, finance=https://f.example:8443/" });
    expect(SITE_URLS).toEqual({ legal: "https://l.example", finance: "https://f.example:8443" });
  });
});
