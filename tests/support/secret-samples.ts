import fc from "fast-check";

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const base64Url = `${alphanumeric}-_`;
const base64 = `${alphanumeric}+/`;

function run(alphabet: string, least: number, most = least): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...alphabet), { minLength: least, maxLength: most })
    .map((characters) => characters.join(""));
}

/** Always with a digit, like random tokens of this length. */
function token(alphabet: string, least: number, most = least): fc.Arbitrary<string> {
  return run(alphabet, least, most).map((text) => `${text.slice(0, -1)}7`);
}

/** A text with a secret, and the part of it that must be redacted. */
export type SecretSample = { kind: string; written: string; secret: string };

function kind(name: string, secret: fc.Arbitrary<string>, before = "", after = ""): fc.Arbitrary<SecretSample> {
  return secret.map((text) => ({ kind: name, written: `${before}${text}${after}`, secret: text }));
}

const prefixed = (prefix: string, rest: fc.Arbitrary<string>) => rest.map((text) => `${prefix}${text}`);
const keyBody = fc.array(run(base64, 64), { minLength: 2, maxLength: 6 }).map((lines) => `\n${lines.join("\n")}\n`);

/** Random secrets of every known kind. */
export const secretSample: fc.Arbitrary<SecretSample> = fc.oneof(
  kind("anthropic-key", prefixed("sk-ant-api03-", token(base64Url, 95))),
  kind("openai-key", prefixed("sk-proj-", token(base64Url, 40, 150))),
  kind("openai-key", prefixed("sk-", token(alphanumeric, 48)), "key: "),
  kind("aws-access-key", prefixed("AKIA", run(upper, 16))),
  kind("aws-secret-key", token(base64, 40), "aws_secret_access_key = "),
  kind("github-token", prefixed("ghp_", run(alphanumeric, 36))),
  kind("github-token", prefixed("github_pat_", token(`${alphanumeric}_`, 82))),
  kind("slack-token", prefixed("xoxb-", token(`${alphanumeric}-`, 50))),
  kind("google-key", prefixed("AIza", run(base64Url, 35))),
  kind("stripe-key", prefixed("sk_live_", token(alphanumeric, 24, 99))),
  kind("webhook-secret", prefixed("whsec_", token(base64, 32))),
  kind("tapedeck-key", prefixed("ltf_", token(alphanumeric, 38))),
  kind(
    "jwt",
    fc
      .tuple(run(base64Url, 20, 60), run(base64Url, 40, 200), run(base64Url, 43))
      .map(([head, body, sign]) => `eyJ${head}.${body}.${sign}`),
    "id ",
  ),
  kind("bearer-token", token(alphanumeric, 24, 80), "Authorization: Bearer "),
  kind("private-key", keyBody, "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
  kind("url-credentials", token(alphanumeric, 8, 40), "postgres://app:", "@db.example.com/app"),
);

/** Ordinary words, code and letters of several scripts, without secrets. */
export const prose: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      "The bearer of this letter",
      "risk-ant-colony",
      "task_test_internationalization",
      "const sk = key;",
      "naïve",
      "日本語",
      "🙂",
      '"quoted"',
      "C:\\new\\table",
      "https://example.com/a?b=c",
      "AKI",
      "Zeile\nzwei",
      "{}",
      "/",
      "postgres://user:password@localhost/db",
      "-----BEGIN CERTIFICATE-----",
      "Basic arithmetic",
      "eyJ",
    ),
    { maxLength: 6 },
  )
  .map((words) => words.join(" "));
