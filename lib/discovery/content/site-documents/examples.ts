import { sites } from "#lib/replay/sites/index";
import { agentsJson, aiCatalog, registryServer, serverCard } from "./agent-documents";
import { robotsTxt, securityTxt, writeSitemap } from "./crawler-files";
import { writeLlmsFullTxt, writeLlmsTxt } from "./llms-txt";

const origin = "http://127.0.0.1:3000";
const context = { origin, site: sites[0] };
const empty = { ...context, pages: [], cassettes: [] };
const clock = { now: () => new Date("2026-11-21T00:00:00Z"), monotonicMs: () => 0 };

/** Examples of the OpenAPI document: what the writers themselves make. */
export const examples = {
  llmsTxt: writeLlmsTxt(empty),
  llmsFullTxt: writeLlmsFullTxt(empty),
  agentsJson: agentsJson(context),
  serverCard: serverCard(context),
  aiCatalog: aiCatalog(context),
  registryServer: registryServer(context),
  robotsTxt: robotsTxt(context),
  sitemap: writeSitemap([{ url: `${origin}/` }]),
  securityTxt: securityTxt({ origin, clock }, { contact: "mailto:security@example.com" }),
};
