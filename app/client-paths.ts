/** What other servers have in front of the protocols' paths: Azure, Groq, GitHub and Fireworks, and OpenRouter. */
const prefix = "(?:(?:openai|anthropic|inference)/(?:[^/]+/)*|api/v1/)";
const protocolPath = "(?:chat/completions|responses|embeddings|messages(?:/count_tokens)?)";

/** The beginning of a path that another server has in front of a protocol's path. */
export const clientPrefix = new RegExp(`^/${prefix}(?=${protocolPath}$)`);

/**
 * Paths of clients that have another base URL than the declared ones: with such a beginning they are answered; without any, and
 * those of Amazon Bedrock, get an error that says what to change.
 */
export const clientPaths = new RegExp(`^/${prefix}?${protocolPath}/?$|^/model/[^/]+/(?:converse|invoke)[a-z-]*/?$`);
