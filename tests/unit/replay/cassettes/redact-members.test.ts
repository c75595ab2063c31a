import { expect, test } from "vitest";
import { redact } from "#lib/replay/cassettes/recorder/index";

const request = (body: Record<string, unknown>) => redact({ body, headers: {}, chunks: [] }, []);
const answer = (text: string) =>
  redact({ body: {}, headers: {}, chunks: [{ deltaMs: 0, bytes: Buffer.from(text) }] }, []);
const textOf = ({ chunks }: ReturnType<typeof redact>) => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
const stars = (text: string) => "*".repeat(text.length);

const members: [name: string, value: string, secret?: string][] = [
  ["password", "pN46geatMA0l"],
  ["dbPassword", "swordfish"],
  ["PASSWD", 'with"quote'],
  ["user_pwd", "hunter2"],
  ["passphrase", "correct-horse"],
  ["client_secret", "a+b/c=d"],
  ["authorization", "Bearer abc123", "abc123"],
  ["Authorization", "0123-abc"],
  ["cookie", "id=12; theme=dark"],
  ["x-api-key", "my-key-1"],
  ["refresh_token", "r1-abcd"],
  ["auth", Buffer.from("robot:aB3-x").toString("base64")],
];

test.each(members)(
  "a member %s with the text %s is masked in requests, and stays in answers",
  (name, value, secret = value) => {
    const masked = value.replace(secret, stars(secret));
    const body = { metadata: { [name]: value } };
    expect(request(body)).toMatchObject({
      body: { metadata: { [name]: masked } },
      redactions: [{ place: `/metadata/${name}` }],
    });
    const json = JSON.stringify(body);
    expect(textOf(answer(json))).toBe(json);
  },
);

test.each(["pN46geatMA0l", 'pN46gea"tMA0l', "pN46gea\\tMA0l"])(
  "a member %s of JSON in a text is masked in requests",
  (password) => {
    const input = JSON.stringify({ user: "ada", password, city: "Lisbon" });
    const content = `Log in with ${input}.`;
    const written = JSON.stringify(password).slice(1, -1);
    expect(request({ messages: [{ content }] }).body).toEqual({
      messages: [{ content: content.replace(written, stars(written)) }],
    });
  },
);

test.each([
  { password: "short" },
  { password: "{{DB_PASSWORD}}" },
  { password: "<your password>" },
  { password: "must be at least 8 characters" },
  { password: "string", secret: "required" },
  { reset_password: "https://example.com/reset" },
  { pwd: "/home/ada/project-2" },
  { pwd: "C:\\Users\\ada" },
  { properties: { password: { type: "string", description: "the password" } }, required: ["password"] },
  { authorization: "approved", cookie: "chocolate", api_key: "missing" },
  { authorization: "2 of 3 users are allowed" },
  { token: "Hello2You", max_tokens: "1024000", next_page_token: "abc1234" },
  { auth: "oauth2-flow", secret_santa: "Grace4Ada", secretary: "Grace4Ada" },
  { text: "The secret santa is: Grace4Ada, and the password: is long" },
  { public_key: "abc1234", cache_key: "abc1234", idempotency_key: "abc1234" },
])("%j has no secret", (body) => {
  expect(request(body)).toMatchObject({ body, redactions: [], suspicions: [] });
  const text = JSON.stringify(body);
  expect([textOf(answer(text)), answer(text).suspicions]).toEqual([text, []]);
});

const digits = (count: number) => "123456789".repeat(4).slice(0, count);
const hex = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
const mixed = "aB3-dE5_gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5mN7pQ9sT1vX3zaB3dE5gH7jK9mN1";
const pem = (kind: string) =>
  Buffer.from(`-----BEGIN ${kind}-----\n${mixed}\n-----END ${kind}-----\n`).toString("base64");

test.each([
  [`Mailgun has key-${hex}.`, hex],
  [`Mailgun signs with ${hex}-0a1b2c3d-4e5f6071.`, hex],
  [`https://api.telegram.org/bot${digits(10)}:${mixed.slice(0, 35)}/getMe`, mixed.slice(0, 35)],
  [`DISCORD=${Buffer.from(digits(18)).toString("base64url")}.GaBcDe.${mixed.slice(0, 38)}`, mixed.slice(0, 38)],
  [`https://discord.com/api/webhooks/${digits(18)}/${mixed}`, mixed.slice(0, 60)],
  [`https://hooks.slack.com/triggers/T012/345/${hex}`, hex],
  [`https://a.webhook.office.com/webhookb2/${hex}@${hex}/IncomingWebhook/${hex}/${hex}`, hex],
  [`git clone https://${hex}@git.example.com/a.git`, hex],
  [`AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".repeat(2).slice(0, 58)}`, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"],
  [`client-key-data: ${pem("RSA PRIVATE KEY")}`, pem("RSA PRIVATE KEY")],
])("%s is masked", (text, secret) => {
  const clean = request({ text });
  expect(clean.body.text).toHaveLength(text.length);
  expect(clean.body.text).not.toContain(secret);
  expect(clean.redactions).toHaveLength(1);
  expect(textOf(answer(JSON.stringify({ text })))).not.toContain(secret);
});

test.each([
  "curl -sS -X POST -u ada:swordfish https://example.com",
  'curl --user "ada:swordfish" https://example.com',
  'curl https://example.com \\\n  -H "Accept: text/plain" \\\n  -u ada:swordfish',
  "curl -sSu ada:swordfish https://example.com",
  "curl -uada:swordfish https://example.com",
  "curl -u\tada:swordfish https://example.com",
  "curl --proxy-user\t=ada:swordfish https://example.com",
  "curl -U ada:swordfish -x proxy.example.com https://example.com",
])("%s is masked in requests, and stays in answers", (text) => {
  expect(request({ text })).toMatchObject({
    body: { text: text.replace("swordfish", stars("swordfish")) },
    redactions: [{ rule: "command-credentials" }],
  });
  const json = JSON.stringify({ text });
  expect(textOf(answer(json))).toBe(json);
});

const wrap = (text: string, width: number, indent: string) =>
  (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).map((line) => `${indent}${line}\n`).join("");

test.each([
  [64, "    "],
  [76, ""],
])("a private key in base64 is masked in all its lines of %d characters", (width, indent) => {
  const key = wrap(pem("RSA PRIVATE KEY"), width, indent);
  const text = `key: |\n${key}token:\n  - a\n`;
  const { text: clean } = request({ text }).body;
  expect(clean).toBe(`key: |\n${indent}${stars(key.trim())}\ntoken:\n  - a\n`);
});

test("what follows a private key in base64 stays", () => {
  const key = pem("RSA PRIVATE KEY");
  const text = `${key}\nplain\n`;
  expect(request({ text }).body.text).toBe(text.replace(key, stars(key)));
});

test.each([
  `certificate-authority-data: ${pem("CERTIFICATE")}`,
  "docker run -u 1000:1000 image",
  "curl -u $USER:$TOKEN https://example.com",
  'curl -u "k:$IBM_KEY2" https://example.com',
  'curl -u "k:$(cat token)" https://example.com',
  "curl --user-agent=https://example.com/bot https://example.com",
  "curl --user-id=urn:example:1 https://example.com",
  "https://ada@example.com/",
  "the ratio is 123456:1",
])("%s is no secret", (text) => {
  expect(request({ text })).toMatchObject({ body: { text }, redactions: [], suspicions: [] });
});
