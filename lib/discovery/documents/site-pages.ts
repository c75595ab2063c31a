/** Title and description of the site's pages, for their heads, the sitemap and the search. */
export const sitePages = {
  "/replay": {
    title: "Replay",
    description:
      "Browse recorded and authored LLM response streams, play them in the browser, and replay them from your code.",
  },
  "/replay/open": {
    title: "Play a file",
    description:
      "Plays a recorded LLM stream from a file on your machine: an event stream, a HAR file or a cassette. Nothing is uploaded.",
  },
  "/vendors": {
    title: "Vendors",
    description: "Browse the tracked vendors: what each one publishes in its llms.txt file, and when it changed.",
  },
  "/models": {
    title: "Models",
    description: "When language models end: which are shutting down soon, what replaces them, and what they cost.",
  },
  "/changes": {
    title: "Changes",
    description:
      "What vendors changed in their llms.txt files, and ends and prices of models: every change of today, this week and before, the newest first, with its significance.",
  },
  "/follow": {
    title: "Follow vendors",
    description: "Get the changes of vendors’ files by e-mail if this server sends mail, or by feed or webhook.",
  },
  "/pricing": { title: "Pricing", description: "What the free tier includes, and what the paid tiers add." },
  "/status": {
    title: "Status",
    description: "Whether the service is up or down, its database, its jobs, and the sites of the fleet.",
  },
  "/changelog": {
    title: "Changelog",
    description: "What changed in each version of Tapedeck, the service that you are looking at.",
  },
  "/docs/api": {
    title: "API reference",
    description: "Every operation of the HTTP API, generated from the OpenAPI document.",
  },
  "/key": {
    title: "Your key",
    description: "Manage your API key: tier, today’s usage, rotation, vendors of your own and webhooks.",
  },
} as const;

/** Returns what the head of a page has: title, description and canonical address. */
export function pageHead<Path extends keyof typeof sitePages>(path: Path) {
  return { ...sitePages[path], alternates: { canonical: path } };
}
