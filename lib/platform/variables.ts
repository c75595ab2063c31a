import { availableParallelism } from "node:os";
import * as z from "zod";
import { decodeUrlPart, parseUrl } from "#lib/platform/parse-url";

const url = z.url({ protocol: /^https?$/, error: "must be an absolute http(s) URL" });
const origin = url.refine((value) => parseUrl(value)?.origin === value.replace(/\/$/, ""), {
  error: "must be an origin without a path, such as https://replay.example.com",
});
const onOff = z.enum(["on", "off"], { error: 'must be "on" or "off"' });
const text = z.string().min(1);

/** Maximum trusted proxies in front of the server. */
const maxProxyCount = 10;

/** Returns the number of trusted proxies: `off` is 0, `on` is 1. */
const proxyCountSchema = z.string().transform((value, context) => {
  const count = { off: 0, on: 1 }[value] ?? (/^\d{1,2}$/.test(value) ? Number(value) : Number.NaN);
  if (count <= maxProxyCount) return count;
  context.addIssue({ code: "custom", message: `must be "on", "off" or a number of proxies up to ${maxProxyCount}` });
  return z.NEVER;
});
const days = z.coerce.number({ error: "must be a number of days" }).int().min(1).max(36_500);
const milliseconds = z.coerce.number({ error: "must be a number of milliseconds" }).int().max(60_000);

/** Slugs of the sites, which `lib/contract/sites.ts` describes. */
export const siteSlugs = ["developer-tools", "legal", "finance", "small-business"] as const;
export type SiteSlug = (typeof siteSlugs)[number];
const siteSlug = z.enum(siteSlugs, { error: `must be one of ${siteSlugs.join(", ")}` });

const siteUrlsSchema = z.string().transform((value, context) => {
  const urls: Record<string, string> = {};
  for (const pair of value.split(/[\s,]+/).filter(Boolean)) {
    const [slug, ...rest] = pair.split("=");
    const parsed = origin.safeParse(rest.join("="));
    if (!slug || !siteSlug.safeParse(slug).success || !parsed.success) {
      const message = `"${pair}" is not <site slug>=<origin>; the slugs are ${siteSlugs.join(", ")}`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    urls[slug] = new URL(parsed.data).origin;
  }
  return urls;
});

/** Returns `127.0.0.1:8080`, `[::1]:8080` or `name:8080` with the host as in URLs; undefined for anything else. */
function hostAndPort(pair: string): string | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(pair) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  const hostname = parseUrl(`http://${host}`)?.hostname;
  return isPort && hostname ? `${hostname}:${Number(port)}` : undefined;
}

const hostListSchema = z.string().transform((value, context) => {
  const hosts: string[] = [];
  for (const pair of value.split(/[\s,]+/).filter(Boolean)) {
    const host = hostAndPort(pair);
    if (!host) {
      context.addIssue({ code: "custom", message: `"${pair}" is not <host>:<port>` });
      return z.NEVER;
    }
    hosts.push(host);
  }
  return hosts;
});

/** Returns the URL of a contact: `mailto:` for an e-mail address. */
const contactSchema = z.string().transform((value, context) => {
  const address = value.replace(/^mailto:/i, "");
  if (z.email().safeParse(address).success) return `mailto:${address}`;
  if (z.url({ protocol: /^https$/ }).safeParse(value).success) return value;
  context.addIssue({ code: "custom", message: "must be an e-mail address or a URL that starts with https://" });
  return z.NEVER;
});

/** The messages must not quote the URL, which may contain a password. */
const smtpUrlMessage =
  "must be smtp://<host>:<port> or smtps://<host>:<port>, with <user>:<password>@ before the host if the server needs it, and nothing after the port";
const smtpUrlSchema = z.string().refine(
  (value) => {
    const parsed = parseUrl(value);
    if (!parsed || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === "") return false;
    const { pathname, search, hash, username, password } = parsed;
    const isDecodable = [username, password].every((part) => decodeUrlPart(part) !== undefined);
    return isDecodable && /^\/?$/.test(pathname) && search === "" && hash === "" && (!password || username !== "");
  },
  { error: smtpUrlMessage },
);

/** Returns the name and address of `Name <address>` or `address`. */
const mailboxSchema = z.string().transform((value, context) => {
  const [, name = "", address = value] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(value) ?? [];
  if (z.email().safeParse(address.trim()).success) return { name: name.trim(), address: address.trim() };
  context.addIssue({
    code: "custom",
    message: "must be an e-mail address, or a name without quotes and an address: Tapedeck <alerts@example.com>",
  });
  return z.NEVER;
});

const encryptionKeysSchema = z.string().transform((value, context) => {
  const keys = value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((text) => Buffer.from(text, "base64"));
  if (keys.length > 0 && keys.every(({ byteLength }) => byteLength === 32)) return keys;
  context.addIssue({
    code: "custom",
    message: "must be 32 random bytes in base64, or several of them: openssl rand -base64 32",
  });
  return z.NEVER;
});

const modelSchema = z
  .string()
  .regex(/^(anthropic|openai-compatible):\S+$/, { error: "must be anthropic:<model> or openai-compatible:<model>" });

const maxWorkerCount = 16;
const workersSchema = z
  .string()
  .regex(/^(auto|[1-9]|1[0-6])$/, `must be auto or a number from 1 to ${maxWorkerCount}`)
  .transform((value) => (value === "auto" ? Math.min(maxWorkerCount, availableParallelism()) : Number(value)));

/** What each variable of the environment may be. A test compares them with the list in `content/docs/configuration.md`. */
export const variables = {
  NODE_ENV: z.enum(["development", "production", "test"]).default("development"),
  PORT: z.coerce.number({ error: "must be a port number" }).int().min(1).max(65535).default(3000),
  HOST: text.default("127.0.0.1"),
  WORKERS: workersSchema.default(1),
  STOP_GRACE_S: z.coerce.number({ error: "must be a number of seconds" }).int().min(0).max(300).default(2),
  BASE_URL: origin.optional(),
  SITE: siteSlug.optional(),
  SITE_URLS: siteUrlsSchema.optional(),
  TRUST_PROXY: proxyCountSchema.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres:// or postgresql://")
    .optional(),
  DATABASE_TIMEOUT_MS: milliseconds.min(100).default(3_000),
  CASSETTE_STORE: z.enum(["folder", "blob", "none"], { error: 'must be "folder", "blob" or "none"' }).default("folder"),
  CASSETTE_DIR: text.default("content/cassettes"),
  CASSETTE_DOWNLOADS: z.enum(["authored", "all"], { error: 'must be "authored" or "all"' }).default("authored"),
  CASSETTE_BLOB_PREFIX: text.default("cassettes/"),
  CASSETTE_BLOB_ACCESS: z.enum(["public", "private"], { error: 'must be "public" or "private"' }).default("public"),
  BLOB_READ_WRITE_TOKEN: text.optional(),
  UPSTASH_REDIS_REST_URL: url.optional(),
  UPSTASH_REDIS_REST_TOKEN: text.optional(),
  LIMIT_STORE_TIMEOUT_MS: milliseconds.min(50).default(1_500),
  REQUESTS_PER_DAY_WITHOUT_KEY: z.coerce.number({ error: "must be a number of requests" }).int().min(1).optional(),
  UPSTASH_SEARCH_REST_URL: url.optional(),
  UPSTASH_SEARCH_REST_TOKEN: text.optional(),
  UPSTASH_SEARCH_INDEX: text.default("tapedeck"),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(mailto:|https:\/\/)\S+$/, "must start with mailto: or https://")
    .optional(),
  SUPPORT_CONTACT: contactSchema.optional(),
  OPEN_SIGN_UP: onOff.default("on"),
  TAPEDECK_COMMAND: text.optional(),
  LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], {
      error: "must be trace, debug, info, warn, error, fatal or silent",
    })
    .default("info"),
  LOG_FORMAT: z.enum(["json", "text"], { error: "must be json or text" }).optional(),
  NO_COLOR: text.optional(),
  ANTHROPIC_API_KEY: text.optional(),
  ANTHROPIC_BASE_URL: url.default("https://api.anthropic.com"),
  OPENAI_API_KEY: text.optional(),
  OPENAI_BASE_URL: text.optional(),
  GEMINI_API_KEY: text.optional(),
  GOOGLE_API_KEY: text.optional(),
  GOOGLE_GEMINI_BASE_URL: text.optional(),
  OLLAMA_HOST: text.optional(),
  OUTBOUND_ALLOWED_HOSTS: hostListSchema.default([]),
  CRON: onOff.optional(),
  VENDOR_CATALOGUE: onOff.default("on"),
  VENDOR_FETCHING: onOff.optional(),
  CRON_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  FETCH_INTERVAL_HOURS: z.coerce.number({ error: "must be a number of hours" }).min(1).max(168).default(6),
  MAX_FETCH_INTERVAL_HOURS: z.coerce.number({ error: "must be a number of hours" }).min(1).max(168).default(168),
  HISTORY_RETENTION_DAYS: days.default(1_095),
  FETCH_RETENTION_DAYS: days.default(90),
  TAPEDECK_KEY: text.optional(),
  TAPEDECK_DATA_DIR: text.default(".tapedeck"),
  ENCRYPTION_KEYS: encryptionKeysSchema.optional(),
  ANALYSIS_MODEL: modelSchema.optional(),
  ANALYSIS_API_KEY: text.optional(),
  ANALYSIS_BASE_URL: url.optional(),
  ANALYSIS_MODE: z.enum(["realtime", "batch"], { error: 'must be "realtime" or "batch"' }).default("realtime"),
  ANALYSIS_TOKENS_PER_DAY: z.coerce.number({ error: "must be a number of tokens" }).int().min(0).default(500_000),
  SMTP_URL: smtpUrlSchema.optional(),
  MAIL_FROM: mailboxSchema.optional(),
  STRIPE_SECRET_KEY: text.optional(),
  STRIPE_WEBHOOK_SECRET: text.optional(),
  STRIPE_PRICE_STARTER: text.optional(),
  STRIPE_PRICE_PRO: text.optional(),
  STRIPE_API_URL: origin.default("https://api.stripe.com"),
  VERCEL: text.optional(),
} as const;

/** Variables of which all are set, or none. */
const groups = [
  ["SMTP_URL", "MAIL_FROM"],
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["UPSTASH_SEARCH_REST_URL", "UPSTASH_SEARCH_REST_TOKEN"],
  ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_STARTER", "STRIPE_PRICE_PRO"],
] as const satisfies (keyof typeof variables)[][];

/** A whole environment. */
export const environmentSchema = z.object(variables).superRefine((values, context) => {
  const fail = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  for (const group of groups) {
    const missing = group.filter((name) => values[name] === undefined);
    if (missing.length === group.length) continue;
    for (const name of group.filter((name) => missing.length > 0 && values[name] !== undefined))
      fail(name, `needs ${missing.join(", ")}`);
  }
  if (values.SMTP_URL !== undefined && values.BASE_URL === undefined)
    fail("SMTP_URL", "needs BASE_URL, with which the links in the mails start");
});
