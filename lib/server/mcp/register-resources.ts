import {
  type CompleteResourceTemplateCallback,
  type ListResourcesResult,
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { blockedScore } from "#lib/contract/blocked-content";
import { loadPages, pageMarkdown } from "#lib/discovery/content/index";
import { AppError } from "#lib/platform/errors";
import { cassettesOfSite, verticals } from "#lib/replay/cassettes/index";
import { getSandboxedContent } from "#lib/tracking/snapshots/index";
import { listVendors, searchVendors } from "#lib/tracking/vendors/index";
import type { ToolRequest } from "./mcp-request";
import { withClientErrors } from "./protocol-errors";
import { uris, uriTemplates } from "./resource-uris";
import type { ToolContext } from "./tool-context";

/** Maximum vendors in the list of resources; others are found by completion and with search_vendors. */
const maxListedVendorCount = 200;
/** Maximum values of one completion, set by the protocol. */
const maxCompletionCount = 100;

const markdown = "text/markdown";
const json = "application/json";
const plain = "text/plain";

const readAs = (context: ToolContext, uri: URL, mimeType: string, read: () => Promise<string>) =>
  withClientErrors(context, "resources/read", async () => {
    try {
      return { contents: [{ uri: uri.href, mimeType, text: await read() }] };
    } catch (error) {
      if (error instanceof AppError && error.status < 500) throw new ResourceNotFoundError(uri.href, error.message);
      throw error;
    }
  })();

type Parts = { list: () => Promise<ListResourcesResult>; complete: Record<string, CompleteResourceTemplateCallback> };

function templateOf(context: ToolContext, uriTemplate: string, { list, complete }: Parts): ResourceTemplate {
  return new ResourceTemplate(uriTemplate, {
    list: withClientErrors(context, "resources/list", list),
    complete: Object.fromEntries(
      Object.entries(complete).map(([name, find]) => [name, withClientErrors(context, "completion/complete", find)]),
    ),
  });
}

async function readPage(context: ToolContext, slug: string): Promise<string> {
  const page = (await loadPages()).find((candidate) => candidate.slug === (slug === "index" ? "" : slug));
  if (!page) throw new AppError("not_found", `There is no page "${slug}".`);
  return pageMarkdown(page, context);
}

async function readCassette({ catalogue }: ToolContext, id: string): Promise<string> {
  const summary = await catalogue.find(id);
  if (!summary) throw new AppError("not_found", `There is no cassette ${id}.`);
  const { title, subtitle, model, prompt, text, usage, end } = summary;
  return JSON.stringify({ id, title, subtitle, model, provenance: summary.provenance.kind, end, usage, prompt, text });
}

async function readVendor(context: ToolContext, slug: string): Promise<string> {
  return (await getSandboxedContent(context, { params: { slug } })).text;
}

function startingWith(value: string, candidates: readonly string[]): string[] {
  return candidates.filter((candidate) => candidate.startsWith(value)).slice(0, maxCompletionCount);
}

function docTemplate(context: ToolContext): ResourceTemplate {
  return templateOf(context, uriTemplates.doc, {
    list: async () => ({
      resources: (await loadPages()).map(({ slug, title, description }) => {
        return { uri: uris.doc(slug), name: slug || "index", title, description, mimeType: markdown };
      }),
    }),
    complete: {
      slug: async (value) =>
        startingWith(
          value,
          (await loadPages()).map(({ slug }) => slug || "index"),
        ),
    },
  });
}

function cassetteTemplate(context: ToolContext): ResourceTemplate {
  return templateOf(context, uriTemplates.cassette, {
    list: async () => ({
      resources: (await cassettesOfSite(context)).map(({ id, title, subtitle }) => {
        return { uri: uris.cassette(id), name: id, title, description: subtitle, mimeType: json };
      }),
    }),
    complete: {
      vertical: (value) => startingWith(value, verticals),
      slug: async (value, { arguments: chosen } = {}) => {
        const all = await context.catalogue.list();
        const matching = all.filter(({ vertical }) => !chosen?.vertical || vertical === chosen.vertical);
        return startingWith(
          value,
          matching.map(({ slug }) => slug),
        );
      },
    },
  });
}

function vendorTemplate(context: ToolContext): ResourceTemplate {
  return templateOf(context, uriTemplates.vendor, {
    list: async () => {
      const { vendors } = await listVendors(context);
      const resources = vendors.slice(0, maxListedVendorCount).map(({ slug, name, domain }) => {
        return {
          uri: uris.vendor(slug),
          name: slug,
          title: name,
          description: `llms.txt of ${domain}`,
          mimeType: plain,
        };
      });
      return { resources };
    },
    complete: {
      slug: async (value) => {
        const query = { q: value, status: "active", limit: maxCompletionCount, offset: 0 } as const;
        const { vendors } = await searchVendors(context, { query });
        return startingWith(
          value,
          vendors.map(({ slug }) => slug),
        );
      },
    },
  });
}

/** Registers documentation, cassettes and vendors' files as resources, with templates and completion. */
export function registerResources(server: McpServer, { context }: ToolRequest): void {
  const variable = (value: string | string[] | undefined) => [value].flat().join("/");
  server.registerResource(
    "docs",
    docTemplate(context),
    { title: "Documentation", description: "A page of this service's documentation.", mimeType: markdown },
    (uri, { slug }) => readAs(context, uri, markdown, () => readPage(context, variable(slug))),
  );
  server.registerResource(
    "cassettes",
    cassetteTemplate(context),
    { title: "Cassette", description: "A model response: its metadata, prompt and text.", mimeType: json },
    (uri, { vertical, slug }) =>
      readAs(context, uri, json, () => readCassette(context, `${variable(vertical)}/${variable(slug)}`)),
  );
  server.registerResource(
    "vendors",
    vendorTemplate(context),
    {
      title: "A vendor's llms.txt",
      description: `The latest file of a vendor in one vendor-content element; refused at a security score of ${blockedScore} or more. Supports subscriptions.`,
      mimeType: plain,
    },
    (uri, { slug }) => readAs(context, uri, plain, () => readVendor(context, variable(slug))),
  );
}
