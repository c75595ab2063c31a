/** What other servers have in front of the protocols' paths: Azure, Groq, GitHub and Fireworks, and OpenRouter. */
const cloud = "(?:openai|anthropic|inference)/";
const cloudPrefix = `${cloud}(?:[^/]+/)*`;
const answerPath = "(?:chat/completions|responses(?:/[^/]+)?|embeddings|messages(?:/count_tokens)?)";
const modelsPath = "models(?:/[^/]+)*";
const protocolPath = `(?:${answerPath}|${modelsPath})`;
/** Vertex AI has this in front of the paths of Gemini, with two versions. */
const vertexPrefix = "v1(?:beta1)?(?:/projects/[^/]+/locations/[^/]+)?/publishers/google";

const toVersion = new RegExp(`^/(?:${cloudPrefix}(?=${protocolPath}$)|api/v1/(?=${answerPath}$))`);
const fromVertex = new RegExp(`^/${vertexPrefix}(?=/models/)`);

/** Returns the declared path for the other paths that clients use. */
export function declaredPath(path: string): string {
  return (
    path
      // Clients that add /v1 to a base URL which ends with it.
      .replace(/^\/v1(?=\/v1\/)/, "")
      .replace(toVersion, "/v1/")
      // Clients of Vertex AI take what is in front of a slash for the publisher.
      .replace(/\/publishers\/(cassette:[^/]+)\/models\/(?=[^/]+$)/, "/publishers/google/models/$1%2F")
      .replace(fromVertex, "/v1beta")
      .replace(/^\/v1beta1(?=\/projects\/)/, "/v1")
      // The AI SDK takes a name with a slash for the whole of its path.
      .replace(/^\/v1(?:beta)?\/(?=cassette:)/, "/v1beta/models/")
      // Clients of Gemini and Vertex AI do not encode the name of a model.
      .replace(/(\/models\/cassette:[^/]+)\/(?=[^/]+$)/, "$1%2F")
      // Gemini has its methods in two versions of its API, and @google/genai uses this one since version 3.
      .replace(/^\/v1(?=\/models\/[^/]+:(?:[a-z]+Content|countTokens|batchEmbedContents)$)/i, "/v1beta")
  );
}

/** Protocols' paths without the version, which a client asks for whose base URL lacks it. */
export const versionlessPaths = new RegExp(`^/${protocolPath}/?$`);

/**
 * Paths of clients that have another base URL than the declared ones: with such a beginning they are answered; without any
 * they get an error that says what to change. `/api/v1/models` is the catalogue of models.
 */
export const clientPaths = new RegExp(
  `^/(?:api/v1/${answerPath}|${protocolPath})/?$|^/(?:${cloud}|v1beta1/)|^/model/[^/]+/[^/]+/?$`,
);
