import formats from "./key-formats.json" with { type: "json" };
import { credentialNames, passwordNames } from "./secret-members";

export type Rule = {
  name: string;
  /**
   * A global pattern over ASCII. If it has a group, the group is the secret. A search takes linear time: each repetition is
   * bounded, and a text can be divided among them in one way only.
   */
  pattern: RegExp;
  /** Returns false for what only looks like a secret, such as a placeholder in documentation. */
  accepts?: (secret: string) => boolean;
  /** Set if only requests are searched for it. Answers keep it, so that an app reads the same when they are recorded and when they are played. */
  isOfRequests?: true;
};

/** Real tokens are random: one of this length without a digit is a word or a name. */
const hasDigit = (secret: string): boolean => /[0-9]/.test(secret);
const isNotPlaceholder = (secret: string): boolean =>
  !/^(?:pass(?:word|wd)?|pwd|pw|secret|token|key|string|required|optional|user(?:name)?|postgres|root|admin|guest|test|example|foo|bar|x+|your[-_].*|\$[a-z_]+|%[sd]|<.*>|\[.*\]|\$?\{.*\})$/i.test(
    secret,
  );

/** Fewest different characters of a random text. */
const minDifferent = 8;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/i;

/** Returns how often a text changes between small letters, capitals and digits. */
const countChanges = (text: string): number =>
  text.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;

/** Whether a text has at least so many characters in a row, between separators, that are random. */
const hasRandomRun = (text: string, leastLength: number): boolean =>
  text
    .split(/[^A-Za-z0-9]+/)
    .some((run) => run.length >= leastLength && countChanges(run) >= 4 && new Set(run).size >= minDifferent);

const isRandom = (secret: string): boolean => uuid.test(secret) || (hasDigit(secret) && hasRandomRun(secret, 12));
/** Less is needed after the prefix of a vendor: a name has fewer changes, and a placeholder has few characters. */
const isToken = (secret: string): boolean => countChanges(secret) >= 4 && new Set(secret).size >= minDifferent;

const characters: Readonly<Record<string, string>> = {
  hexadecimal: "[0-9a-f]",
  alphanumeric: "[A-Za-z0-9]",
  base64url: "[A-Za-z0-9_-]",
  base64: "[A-Za-z0-9+/=]",
  dotted: "[A-Za-z0-9_.-]",
  path: "[A-Za-z0-9/-]",
};

/** Most characters of a vendor's key after its prefix. */
const mostCharacters = 1_000;

function patternOfVendors(): RegExp {
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const sources = formats.map(
    (format) => `${escaped(format.prefix)}${characters[format.characters]}{${format.least},${mostCharacters}}`,
  );
  return new RegExp(`(?<![A-Za-z0-9_-])(?:${sources.join("|")})`, "g");
}

/** Words before a value that is a secret. What precedes them says that the value is none. */
const word =
  "(?<!(?:page|next|sync|cache|cursor|continuation|idempotency|public|primary|foreign|partition|sort|answer|group|row|csrf|max|stop)[_ -]{0,2})(?:key|token|secret|password|passwd|passphrase|credentials?)";
const value = "[A-Za-z0-9_.~/+=-]{20,1000}";

/** In the value of a member: any character, and one in JSON in a text, where a backslash and what it escapes are one. */
const character = String.raw`[^\s\0]`;
const characterInJson = String.raw`(?:\\[^\s\0]|[^\s\0"\\])`;

/**
 * Returns two rules for the values of members of requests: one for JSON in a text, and one for `name: value`, as the value of a member
 * is searched.
 */
function memberRules(name: string, names: string, value: string, accepts: (secret: string) => boolean): Rule[] {
  const named = String.raw`[\w.-]{0,40}(?:${names})`;
  const inJson = value.replaceAll(character, characterInJson);
  const patterns = [
    String.raw`"${named}"\s{0,8}:\s{0,8}"${inJson}(?=["\0]|$)`,
    String.raw`(?:^|\0)${named}: ${value}(?=\0|$)`,
  ];
  return patterns.map((pattern) => ({ name, pattern: new RegExp(pattern, "gi"), accepts, isOfRequests: true }));
}

/** Returns what a text is in base64; an empty text if that is none. */
function decodeBase64(text: string): string {
  const decoded = Buffer.from(text, "base64").toString("utf8");
  return /^[\t\n\r -~]*$/.test(decoded) ? decoded : "";
}

const password = `(${character}{6,1000})`;
const isPassword = (secret: string): boolean => isNotPlaceholder(secret) && !/^https?:\/\//i.test(secret);

/** Secrets that are recognized by their pattern. Of overlapping matches, the earlier or longer one wins. */
export const rules: readonly Rule[] = [
  { name: "anthropic-key", pattern: /sk-ant-[A-Za-z0-9_-]{20,500}/g, accepts: hasDigit },
  { name: "openai-key", pattern: /sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,500}/g, accepts: hasDigit },
  { name: "openai-key", pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9]{32,200}/g, accepts: hasDigit },
  { name: "vendor-key", pattern: patternOfVendors(), accepts: isToken },
  { name: "azure-key", pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}(?![A-Za-z0-9])/g },
  { name: "fal-key", pattern: /(?<![0-9a-f-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}(?![0-9a-f])/g },
  { name: "zhipu-key", pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])/g, accepts: isRandom },
  { name: "meta-key", pattern: /LLM\|[0-9]{10,20}\|[A-Za-z0-9_-]{20,60}/g },
  { name: "aws-access-key", pattern: /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g },
  {
    name: "aws-secret-key",
    pattern: /(?:secret_?access_?key|session_?token)["']?\s{0,8}[:=]\s{0,8}["']?([A-Za-z0-9/+]{40,2000}={0,2})/gi,
    accepts: hasDigit,
  },
  { name: "github-token", pattern: /gh[pousr]_[A-Za-z0-9]{36,255}/g },
  { name: "github-token", pattern: /github_pat_[A-Za-z0-9_]{22,255}/g, accepts: hasDigit },
  { name: "gitlab-token", pattern: /glpat-[A-Za-z0-9_-]{20,255}/g, accepts: isToken },
  { name: "slack-token", pattern: /xox[abeoprs]-[A-Za-z0-9-]{10,255}/g, accepts: hasDigit },
  { name: "slack-token", pattern: /xapp-[0-9]-[A-Za-z0-9-]{10,255}/g },
  {
    name: "slack-webhook",
    pattern: /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/]{20,200})/g,
  },
  {
    name: "teams-webhook",
    pattern: /\.webhook\.office\.com\/webhookb2\/([0-9a-f@-]{36,80}\/IncomingWebhook\/[\w/-]{32,200})/gi,
  },
  {
    name: "discord-webhook",
    pattern: /discord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/[0-9]{15,22}\/([\w-]{60,100})/g,
  },
  {
    // Its first part is the id of a user, which is a number.
    name: "discord-token",
    pattern: /(?<![\w.-])[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}(?![\w.-])/g,
    accepts: (secret) => /^[0-9]{15,22}$/.test(decodeBase64(secret.split(".", 1)[0] ?? "")),
  },
  { name: "telegram-token", pattern: /(?<![0-9])[0-9]{6,12}:[\w-]{35}(?![\w-])/g, accepts: isToken },
  {
    name: "mailgun-key",
    pattern: /(?<![0-9a-f-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f-])/g,
    accepts: isToken,
  },
  { name: "google-key", pattern: /AIza[A-Za-z0-9_-]{35}/g },
  { name: "google-token", pattern: /GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,2000}/g },
  { name: "stripe-key", pattern: /[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}/g, accepts: hasDigit },
  { name: "webhook-secret", pattern: /whsec_[A-Za-z0-9+/]{16,255}={0,2}/g, accepts: hasDigit },
  { name: "tapedeck-key", pattern: /ltf_[A-Za-z0-9]{38}/g, accepts: hasDigit },
  { name: "npm-token", pattern: /npm_[A-Za-z0-9]{36}/g, accepts: isToken },
  // Many have letters only.
  { name: "huggingface-token", pattern: /hf_[A-Za-z0-9]{34,100}/g, accepts: isToken },
  {
    name: "jwt",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,20000}(?:\.[A-Za-z0-9_-]{1,8000}){1,3}/g,
  },
  { name: "bearer-token", pattern: /\bbearer {1,4}([A-Za-z0-9._~+/-]{20,4000}={0,2})/gi, accepts: hasDigit },
  {
    name: "basic-credentials",
    pattern: /authorization["']?\s{0,8}[:=]\s{0,8}["']?basic {1,4}([A-Za-z0-9+/]{8,2000}={0,2})/gi,
  },
  {
    name: "url-credentials",
    pattern: /(?<=[A-Za-z0-9]:)\/\/[\w.~%!$&()+,;=-]{0,100}:([\w.~%!$&()*+,;=:-]{1,200})@(?=[A-Za-z0-9[])/g,
    accepts: isNotPlaceholder,
  },
  { name: "url-credentials", pattern: /(?<=[A-Za-z0-9]:\/\/)[\w-]{20,255}(?=@[A-Za-z0-9[])/g, accepts: isRandom },
  {
    name: "command-credentials",
    pattern:
      /\bcurl(?=\s)(?:[^\0\n|;]|\\\n){0,500}?\s(?:-[A-Za-z]{0,8}[uU]|--(?:proxy-)?user(?![\w-]))[\s=]{0,4}["']?[^\s:"']{1,100}:([^\s"'\0]{3,200})/g,
    accepts: (secret) => isNotPlaceholder(secret) && !/^\$[\w(]/.test(secret),
    isOfRequests: true,
  },
  {
    // Of PEM in base64, as Kubernetes has it, only the first line says whether it is a key or a certificate. `base64` breaks lines.
    name: "private-key",
    pattern:
      /(?<![A-Za-z0-9+/=])LS0tLS1CRUdJTi(?:[A-Za-z0-9+/]{46,66}(?:\r?\n[ \t]{0,40}[A-Za-z0-9+/]{60,80}){1,400}(?:\r?\n[ \t]{0,40}[A-Za-z0-9+/]{1,80}(?=[\s"'=\0]|$))?|[A-Za-z0-9+/]{40,20000})={0,2}/g,
    accepts: (secret) => decodeBase64(secret.slice(0, 64)).includes("PRIVATE KEY"),
  },
  {
    name: "url-parameter",
    pattern:
      /[?&](?:key|api[_-]?key|(?:access|auth)[_-]?token|token|password|secret|sig|signature|subscription-key|x-amz-signature|x-goog-signature)=([\w.~%+/=-]{8,1000})/gi,
    accepts: (secret) => hasDigit(secret) && hasRandomRun(secret, 8),
  },
  {
    name: "named-secret",
    pattern: new RegExp(String.raw`${word}["'\`\]]{0,2}\s{0,4}(?:[:=]|=>|\bis\b)\s{0,4}["'\`(<]{0,2}(${value})`, "gi"),
    accepts: isRandom,
  },
  ...memberRules("password", passwordNames, password, isPassword),
  ...memberRules("password", "pwd", password, (secret) => isPassword(secret) && !/^(?:[A-Za-z]:\\|~?\/)/.test(secret)),
  ...memberRules("credential", credentialNames, `(?:[A-Za-z-]{3,20} )?((?:; |${character}){6,4000})`, hasDigit),
  // Docker's registries have the name and password of a user in base64.
  ...memberRules("basic-credentials", "auth", "([A-Za-z0-9+/]{8,4000}={0,2})", (secret) =>
    /^[^\s:]+:\S+$/.test(decodeBase64(secret)),
  ),
];

/** What may be a secret, but can also be something else: a random text in the same line after a word for secrets. */
export const suspicion: Rule = {
  name: "suspicion",
  pattern: new RegExp(String.raw`\b${word}s?\b[ A-Za-z,:;'"\`()=-]{1,60}?(?<![A-Za-z0-9_.~/+=-])(${value})`, "gi"),
  accepts: (secret) => hasDigit(secret) && hasRandomRun(secret, 20),
};
