/**
 * Formats of keys, of AI vendors and of services that agents use, with what is random in them in braces: a letter for the
 * characters, and their number. They are put together when tests run, so that no scanner takes them for real keys.
 */
export const keyFormats: readonly string[] = [
  // Model providers and gateways.
  "sk-{a20}T3BlbkFJ{a20}",
  "sk-proj-{w74}T3BlbkFJ{w74}",
  "sk-svcacct-{w74}T3BlbkFJ{w74}",
  "sk-admin-{w58}T3BlbkFJ{w58}",
  "sess-{a40}",
  "sk-ant-api03-{w93}AA",
  "sk-ant-admin01-{w93}AA",
  "sk-ant-oat01-{w93}AA",
  "AIza{w35}",
  "AQ.Ab8{w47}",
  "ya29.{w120}",
  "1//0{w100}",
  "sk-or-v1-{h64}",
  "gsk_{a52}",
  "xai-{a80}",
  "pplx-{a48}",
  "r8_{a37}",
  "hf_{m34}",
  "api_org_{m34}",
  "fw_{a24}",
  "nvapi-{w64}",
  "tgp_v1_{w43}",
  "csk-{l48}",
  "sk-{h32}",
  "ABSKQmVkcm9ja0FQSUtleS{b110}",
  "bedrock-api-key-{b120}",
  "AKIA{u16}",
  "dapi{h32}",
  "{a52}JQQJ99{u26}",
  "pa-{w43}",
  "jina_{h32}{a28}",
  "up_{a29}",
  "sk-api-{w80}",
  "{h32}.{a16}",
  "bce-v3/ALTAK-{a21}/{h40}",
  "LTAI{a20}",
  "AKID{a32}",
  "{g}:{h32}",
  "flp_{a46}",
  "esecret_{l26}",
  "rpa_{u40}",
  "sk_{h48}",
  "sk_V2_{w45}",
  "sk_car_{a22}",
  "key_{h128}",
  "LLM|{d16}|{w27}",
  "ak-{a22}",
  "vck_{a56}",
  "cpk_{h32}.{h32}.{a32}",
  "sk-helicone-{l7}-{l7}-{l7}-{l7}",
  // Tracing, search, memory and tools of agents.
  "sk-lf-{g}",
  "lsv2_pt_{h32}_{h10}",
  "ls__{h32}",
  "pylf_v1_us_{a43}",
  "wandb_v1_{w77}",
  "tvly-{a32}",
  "tvly-dev-{a32}",
  "fc-{h32}",
  "BSA{w28}",
  "pcsk_{a6}_{a63}",
  "llx-{a48}",
  "m0-{a40}",
  "nk-{w43}",
  "e2b_{h40}",
  "dtn_{h64}",
  "bb_live_{w27}",
  "lin_api_{a40}",
  "ntn_{d11}{a35}",
  "phx_{a43}",
  "sb_secret_{w31}",
  "ctx7sk-{g}",
  "crsr_{h64}",
  "ghp_{a36}",
  "github_pat_{a22}_{a59}",
  "glpat-{w20}",
  "xoxb-{d12}-{d12}-{a24}",
  "xkeysib-{h64}-{a16}",
  "SG.{w22}.{w43}",
  "npm_{a36}",
  "hvs.{w95}",
];

/** Keys without a form of their own: 32, 36 or 40 characters, which only the words beside them tell. */
export const namedKeys: readonly string[] = [
  "MISTRAL_API_KEY={a32}",
  'CO_API_KEY="{a40}"',
  "export TOGETHER_API_KEY={h64}",
  '"deepgram_api_key": "{h40}"',
  "api-key: {h32}",
  "EXA_API_KEY={g}",
  "the Mistral key is {a32}",
  "AZURE_OPENAI_API_KEY: {h32}",
  "client_secret = '{w40}'",
  "https://api.example.com/search?key={a32}&q=1",
  "https://api.example.com/search?subscription-key={h32}",
];

const letters = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const alphabets: Readonly<Record<string, string>> = {
  a: `${letters}${letters.toUpperCase()}${digits}`,
  b: `${letters}${letters.toUpperCase()}${digits}+/`,
  d: digits,
  h: `${digits}abcdef`,
  l: `${letters}${digits}`,
  m: `${letters}${letters.toUpperCase()}`,
  u: `${letters.toUpperCase()}${digits}`,
  w: `${letters}${letters.toUpperCase()}${digits}-_`,
};

/** Returns a text with a random key of a format, and the random parts of it. */
export function sampleKey(format: string, next: () => number): { text: string; random: string[] } {
  const run = (alphabet = "", length = 0) =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
  const random: string[] = [];
  const text = format.replace(/\{(?:(g)|([a-z])(\d+))\}/g, (_whole, isUuid, kind, length) => {
    const part = isUuid
      ? [8, 4, 4, 4, 12].map((size) => run(alphabets.h, size)).join("-")
      : run(alphabets[kind], Number(length));
    random.push(part);
    return part;
  });
  return { text, random };
}
