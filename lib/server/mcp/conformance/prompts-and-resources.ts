import { completable, type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";
import { pngType, redPixelPng, resourceContent } from "./samples";

const user = "user" as const;
const text = (value: string) => ({ role: user, content: { type: "text" as const, text: value } });

const cities = ["paris", "park", "party"];
const cityLike = completable(z.string(), (value) => cities.filter((city) => city.startsWith(value)));

/** Registers the prompts of the conformance suite. */
export function registerConformancePrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "A prompt." }, () => ({
    messages: [text("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "A prompt of two parts.", argsSchema: z.object({ arg1: cityLike, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A prompt about a resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        { role: user, content: resourceContent(resourceUri, "text/plain", "Embedded resource content for testing.") },
        text("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A prompt about an image." }, () => ({
    messages: [
      { role: user, content: { type: "image", data: redPixelPng, mimeType: pngType } },
      text("Please analyze the image above."),
    ],
  }));
}

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
