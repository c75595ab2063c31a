import { completable, type McpServer } from "@modelcontextprotocol/server";
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
