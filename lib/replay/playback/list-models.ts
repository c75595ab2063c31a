import { AppError } from "#lib/platform/errors";
import {
  type CassetteSummary,
  type Catalogue,
  cassettesOfSite,
  isFirstTurn,
  type Vertical,
} from "#lib/replay/cassettes/index";
import { cassettePrefix } from "./choose-cassette";

type Json = Record<string, unknown>;
type Context = { catalogue: Catalogue; site: { vertical: Vertical } };
type Header = (name: string) => string | null;

/** How the clients of a provider read models. */
type Format = {
  providers: readonly string[];
  entryOf: (summary: CassetteSummary) => Json;
  listOf: (entries: Json[]) => Json;
};

const nameOf = ({ id }: CassetteSummary) => `${cassettePrefix}${id}`;

/** Ollama's details of a model's file, which are empty for a cassette. */
const ollamaDetails = {
  parent_model: "",
  format: "",
  family: "",
  families: [],
  parameter_size: "",
  quantization_level: "",
};

const formats = {
  openai: {
    providers: ["openai-chat", "openai-responses"],
    entryOf: (summary) => ({
      id: nameOf(summary),
      object: "model",
      created: Math.floor(Date.parse(summary.provenance.recorded_at) / 1000),
      owned_by: "tapedeck",
    }),
    listOf: (data) => ({ object: "list", data }),
  },
  anthropic: {
    providers: ["anthropic"],
    entryOf: (summary) => ({
      type: "model",
      id: nameOf(summary),
      display_name: summary.title,
      created_at: summary.provenance.recorded_at,
    }),
    listOf: (data) => ({ data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }),
  },
  gemini: {
    providers: ["gemini"],
    entryOf: (summary) => ({
      name: `models/${nameOf(summary)}`,
      version: summary.model,
      displayName: summary.title,
      description: summary.subtitle,
      supportedGenerationMethods:
        summary.match.operation === "generate"
          ? ["generateContent", "streamGenerateContent", "countTokens"]
          : [summary.path.slice(summary.path.lastIndexOf(":") + 1)],
    }),
    listOf: (models) => ({ models }),
  },
  ollama: {
    providers: ["ollama"],
    entryOf: (summary) => ({
      name: nameOf(summary),
      model: nameOf(summary),
      modified_at: summary.provenance.recorded_at,
      size: summary.byteSize,
      // Ollama's command line shows its first characters.
      digest: summary.match.hash,
      details: ollamaDetails,
    }),
    listOf: (models) => ({ models }),
  },
} as const satisfies Record<string, Format>;

type Asked = { header: Header; provider?: keyof typeof formats };

/** Returns the format that the clients of a provider read: at `/v1/models`, their headers tell which. */
function formatOf({ header, provider }: Asked): Format {
  if (provider) return formats[provider];
  if (header("anthropic-version") !== null) return formats.anthropic;
  return header("x-goog-api-key") === null ? formats.openai : formats.gemini;
}

/** Returns the cassettes that clients of this format can choose: the first turns of the site's. */
async function listedIn({ providers }: Format, context: Context): Promise<CassetteSummary[]> {
  return (await cassettesOfSite(context)).filter(
    ({ match, provider }) =>
      isFirstTurn(match) && providers.includes(provider) && ["generate", "embeddings"].includes(match.operation),
  );
}

/** Returns the site's cassettes as models: those of the named provider, else of the one whose client asks. */
export async function listModels(context: Context, asked: Asked): Promise<Json> {
  const format = formatOf(asked);
  return format.listOf((await listedIn(format, context)).map(format.entryOf));
}

/** Returns the cassette that the name of a model names; of any site, as all play by their names. Throws AppError not_found. */
async function findModel(format: Format, { catalogue }: Context, name: string): Promise<CassetteSummary> {
  const summary = name.startsWith(cassettePrefix) ? await catalogue.find(name.slice(cassettePrefix.length)) : undefined;
  if (summary && format.providers.includes(summary.provider)) return summary;
  const message = `There is no model "${name.slice(0, 200)}" here. Models are cassette:<id>; the list of models has this site's.`;
  throw new AppError("not_found", message);
}

/** Returns the entry of a model in the format of `listModels`. Throws AppError not_found. */
export async function getModel(context: Context, { name, ...asked }: Asked & { name: string }): Promise<Json> {
  const format = formatOf(asked);
  return format.entryOf(await findModel(format, context, name));
}

/** Returns what Ollama's clients read of the model that is a cassette; null if the name is none. Throws AppError not_found. */
export async function showOllamaModel(context: Context, name: string): Promise<Json | null> {
  if (!name.startsWith(cassettePrefix)) return null;
  const { features, provenance } = await findModel(formats.ollama, context, name);
  return {
    modelfile: "",
    parameters: "",
    template: "",
    details: ollamaDetails,
    model_info: {},
    capabilities: ["completion", ...features.filter((feature) => feature !== "citations")],
    modified_at: provenance.recorded_at,
  };
}

/** The version of Ollama whose protocol is answered. Programs compare it with the one that they need. */
export const ollamaVersion = { version: "0.12.0" };
