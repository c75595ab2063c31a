import { setTimeout as delay } from "node:timers/promises";
import { fromJsonSchema, type McpServer } from "@modelcontextprotocol/server";
import { pngType, redPixelPng, resourceContent, silentWav, textResult, wavType } from "./samples";

const pauseMs = 50;

/** Not written as a property name: `await` would treat an object with it as a promise. */
const thenKeyword = "then";

/** Uses keywords of JSON Schema 2020-12 that must reach the client unchanged. */
const schemaWithKeywords = fromJsonSchema({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  [thenKeyword]: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
});

function registerContentResults(server: McpServer): void {
  const image = { type: "image" as const, data: redPixelPng, mimeType: pngType };
  const json = JSON.stringify({ test: "data", value: 123 });
  server.registerTool("test_simple_text", { description: "Returns a text." }, () =>
    textResult("This is a simple text response for testing."),
  );
  server.registerTool("test_image_content", { description: "Returns an image." }, () => ({ content: [image] }));
  server.registerTool("test_audio_content", { description: "Returns audio." }, () => ({
    content: [{ type: "audio", data: silentWav, mimeType: wavType }],
  }));
  server.registerTool("test_embedded_resource", { description: "Returns a resource." }, () => ({
    content: [resourceContent("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  server.registerTool("test_multiple_content_types", { description: "Returns several kinds of content." }, () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resourceContent("test://mixed-content-resource", "application/json", json),
    ],
  }));
  server.registerTool("test_error_handling", { description: "Always fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Has a schema with many keywords.", inputSchema: schemaWithKeywords },
    () => textResult("The arguments are valid."),
  );
}

function registerNotifyingTools(server: McpServer): void {
  server.registerTool("test_tool_with_logging", { description: "Logs while it runs." }, async (context) => {
    await context.mcpReq.log("info", "Tool execution started");
    await delay(pauseMs);
    await context.mcpReq.log("info", "Tool processing data");
    await delay(pauseMs);
    await context.mcpReq.log("info", "Tool execution completed");
    return textResult("Logged three times.");
  });
  server.registerTool("test_logging_tool", { description: "Logs once." }, async (context) => {
    await context.mcpReq.log("info", "Logged once");
    return textResult("Logged once.");
  });
  server.registerTool("test_tool_with_progress", { description: "Reports progress." }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await context.mcpReq.notify({ method: "notifications/progress", params });
      }
      if (progress < 100) await delay(pauseMs);
    }
    return textResult("Reported progress three times.");
  });
}

/** Registers tools that send no requests to the client. */
export function registerContentTools(server: McpServer): void {
  registerContentResults(server);
  registerNotifyingTools(server);
}
