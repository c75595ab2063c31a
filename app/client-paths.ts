/** Paths of providers' protocols with other beginnings, or without one: these get an error that says what to change. */
export const clientPaths =
  /^\/(?!docs\/|vendors\/)(?:[^/]+\/)*(?:chat\/completions|responses|embeddings|messages|messages\/count_tokens)\/?$|^\/model\/[^/]+\/(?:converse|invoke)[a-z-]*\/?$/;
