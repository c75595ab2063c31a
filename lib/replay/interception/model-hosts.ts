import {
  anthropic,
  gemini,
  http,
  objectsOf,
  ollama,
  openaiChat,
  openaiResponses,
  type Provider,
  providers,
} from "#lib/replay/providers/index";
import { localName } from "./child-environment";

export type ModelHost = {
  /** Its protocols; the path of a request says which. The first is that of paths that none of them has. */
  providers: readonly Provider[];
  /** Paths that are no calls of a model, such as those of telemetry: never stored, and answered without a recording. */
  other: RegExp | null;
};

type HostEntry = { hosts: readonly string[]; providers: readonly Provider[]; other?: RegExp };

const openai = [openaiChat, openaiResponses];

/** Hosts of the providers that are used most; `*` stands for any part of a name. */
const entries: readonly HostEntry[] = [
  { hosts: ["api.openai.com", "*.api.openai.com"], providers: openai, other: /^\/v1\/traces\// },
  { hosts: ["api.anthropic.com"], providers: [anthropic], other: /^\/(?:api|mcp-registry)\// },
  { hosts: ["generativelanguage.googleapis.com"], providers: [gemini, openaiChat] },
  // Asked by Gemini CLI after a login with Google.
  { hosts: ["cloudcode-pa.googleapis.com"], providers: [gemini], other: /:record[A-Z]\w*$/ },
  {
    hosts: ["aiplatform.googleapis.com", "*-aiplatform.googleapis.com", "aiplatform.*.rep.googleapis.com"],
    providers: [gemini, anthropic, openaiChat],
  },
  {
    hosts: ["*.openai.azure.com", "*.cognitiveservices.azure.com", "models.github.ai", "models.inference.ai.azure.com"],
    providers: openai,
  },
  { hosts: ["*.services.ai.azure.com", "*.models.ai.azure.com"], providers: [...openai, anthropic] },
  { hosts: ["bedrock-runtime.*.amazonaws.com", "bedrock-agent-runtime.*.amazonaws.com"], providers: [http] },
  { hosts: ["bedrock-runtime-fips.*.amazonaws.com", "bedrock-mantle.*.api.aws"], providers: [http] },
  { hosts: ["api.groq.com", "openrouter.ai", "api.x.ai", "ai-gateway.vercel.sh"], providers: [...openai, anthropic] },
  { hosts: ["api.mistral.ai", "codestral.mistral.ai", "api.cerebras.ai", "api.perplexity.ai"], providers: openai },
  { hosts: ["api.deepseek.com", "api.moonshot.ai", "api.moonshot.cn"], providers: [...openai, anthropic] },
  { hosts: ["api.together.xyz", "api.together.ai", "api.fireworks.ai", "api.deepinfra.com"], providers: openai },
  {
    hosts: ["api-inference.huggingface.co", "router.huggingface.co", "*.endpoints.huggingface.cloud"],
    providers: openai,
  },
  {
    hosts: ["integrate.api.nvidia.com", "api.sambanova.ai", "dashscope.aliyuncs.com", "dashscope*.aliyuncs.com"],
    providers: openai,
  },
  { hosts: ["api.z.ai", "open.bigmodel.cn", "api.minimax.io"], providers: [...openai, anthropic] },
  { hosts: ["localhost:11434", "ollama.com"], providers: [ollama, ...openai, anthropic] },
  { hosts: ["gateway.ai.cloudflare.com"], providers: [...openai, anthropic, gemini] },
  {
    hosts: ["api.cohere.com", "api.cohere.ai", "api.voyageai.com", "api.replicate.com", "api.ai21.com"],
    providers: [http],
  },
];

/**
 * Variables that SDKs read the key of a host from, by the vendors' docs. Those that other programs read too, such as `HF_TOKEN`
 * and the variables of clouds, are left out.
 */
export const keyVariables: Readonly<Record<string, readonly string[]>> = {
  "api.openai.com": openaiChat.upstream.keyVariables,
  "api.anthropic.com": anthropic.upstream.keyVariables,
  "generativelanguage.googleapis.com": [...gemini.upstream.keyVariables, "GOOGLE_GENERATIVE_AI_API_KEY"],
  "ai-gateway.vercel.sh": ["AI_GATEWAY_API_KEY"],
  "api.ai21.com": ["AI21_API_KEY"],
  "api.cerebras.ai": ["CEREBRAS_API_KEY"],
  "api.cohere.com": ["CO_API_KEY", "COHERE_API_KEY"],
  "api.deepinfra.com": ["DEEPINFRA_API_KEY"],
  "api.deepseek.com": ["DEEPSEEK_API_KEY"],
  "api.fireworks.ai": ["FIREWORKS_API_KEY"],
  "api.groq.com": ["GROQ_API_KEY"],
  "api.mistral.ai": ["MISTRAL_API_KEY"],
  "api.moonshot.ai": ["MOONSHOT_API_KEY"],
  "api.perplexity.ai": ["PERPLEXITY_API_KEY"],
  "api.replicate.com": ["REPLICATE_API_TOKEN"],
  "api.sambanova.ai": ["SAMBANOVA_API_KEY"],
  "api.together.xyz": ["TOGETHER_API_KEY"],
  "api.voyageai.com": ["VOYAGE_API_KEY"],
  "api.x.ai": ["XAI_API_KEY"],
  "dashscope-intl.aliyuncs.com": ["DASHSCOPE_API_KEY"],
  "dashscope.aliyuncs.com": ["DASHSCOPE_API_KEY"],
  "integrate.api.nvidia.com": ["NVIDIA_API_KEY"],
  "openrouter.ai": ["OPENROUTER_API_KEY"],
};

/** Returns the variables of a host's key; none if they are not known. */
export function keyVariablesOf(host: string): readonly string[] {
  return Object.hasOwn(keyVariables, host) ? (keyVariables[host] ?? []) : [];
}

function patternOf(host: string): RegExp {
  return new RegExp(`^${host.replaceAll(".", "\\.").replaceAll("*", "[a-z0-9.-]+")}$`);
}

const known = entries.map(({ hosts, ...entry }) => ({ patterns: hosts.map(patternOf), ...entry }));

/** Whether a host is the given one, in which `*` stands for any part. */
export function isHostLike(host: string, pattern: string): boolean {
  const [place, named] = [localName(host), localName(pattern)];
  return named === place || patternOf(named).test(place.replace(/:\d+$/, ""));
}

/**
 * Returns what a host speaks that answers calls of models; undefined for any other. `added` are hosts of the configuration,
 * each with a port if that is not the usual one; all that they answer is recorded as it is.
 */
export function findModelHost(host: string, added: readonly string[]): ModelHost | undefined {
  const place = localName(host);
  const name = place.replace(/:\d+$/, "");
  const entry = known.find(({ patterns }) => patterns.some((pattern) => pattern.test(name) || pattern.test(place)));
  if (entry) return { providers: entry.providers, other: entry.other ?? null };
  const isAdded = added.some((pattern) => isHostLike(host, pattern));
  return isAdded ? { providers: [http, ...providers], other: null } : undefined;
}

/** Whether an entry of NO_PROXY, such as `.openai.com` or `*`, covers a host that answers calls of models. */
export function coversModelHost(entry: string, added: readonly string[]): boolean {
  const domain = localName(
    entry
      .trim()
      .toLowerCase()
      .replace(/^\*?\./, ""),
  );
  if (domain === "") return false;
  const hosts = [...entries.flatMap(({ hosts }) => hosts), ...added];
  return (
    domain === "*" ||
    hosts.some((host) => host === domain || `.${host}`.endsWith(`.${domain}`) || isHostLike(domain, host))
  );
}

/** Whether a path may be that of a call of a model, at a host that is on no list. */
export function mayBeModelCall(method: string, path: string): boolean {
  return providers.some((provider) => provider.operationOf({ method, path }) === "generate");
}

/** Whether a request that may be one is a call of a model: it has a model, and the history that its protocol has. */
export function isModelCall(method: string, path: string, json: unknown): boolean {
  if (json === null || typeof json !== "object" || Array.isArray(json)) return false;
  const body = json as Record<string, unknown>;
  return providers.some((provider) => {
    if (provider.operationOf({ method, path }) !== "generate") return false;
    const history = body[provider.historyField.slice(1)];
    const hasHistory = typeof history === "string" || objectsOf(history).length > 0;
    return hasHistory && provider.readQuestion({ method, path, query: "", body }).model !== null;
  });
}
