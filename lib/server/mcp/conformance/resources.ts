import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { pngType, redPixelPng } from "./samples";

const plain = "text/plain";

/** The resource that the suite subscribes to. */
export const watchedUri = "test://watched-resource";

/** Registers the resources of the conformance suite. */
export function registerConformanceResources(server: McpServer): void {
  server.registerResource(
    "static-text",
    "test://static-text",
    { description: "A text.", mimeType: plain },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: plain, text: "This is the content of the static text resource." }],
    }),
  );
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "An image.", mimeType: pngType },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: pngType, blob: redPixelPng }] }),
  );
  server.registerResource(
    "watched-resource",
    watchedUri,
    { description: "A resource to subscribe to.", mimeType: plain },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: plain, text: "It never changes." }] }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "One for each id.", mimeType: "application/json" },
    ({ href: uri }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: "application/json", text }] };
    },
  );
}
