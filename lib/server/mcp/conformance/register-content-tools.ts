import { setTimeout as delay } from "node:timers/promises";
import { fromJsonSchema, type McpServer } from "@modelcontextprotocol/server";
import { pngType, redPixelPng, resourceContent, silentWav, textResult, wavType } from "./samples";

const pauseMs = 50;

/** Not written as a property: an object with it looks like a promise. */
const thenKeyword = "then";

/** Keywords of JSON Schema 2020-12 that have to reach the client as they are. */
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

function registerContent(server: McpServer): void {
  const image = { type: "image" as const, data: redPixelPng, mimeType: pngType };
  const json = JSON.stringify({ test: "data", value: 123 });
  server.registerTool("test_simple_text", { description: "Gives a text." }, () =>
    textResult("This is a simple text response for testing."),
  );
  server.registerTool("test_image_content", { description: "Gives an image." }, () => ({ content: [image] }));
  server.registerTool("test_audio_content", { description: "Gives a sound." }, () => ({
    content: [{ type: "audio", data: silentWav, mimeType: wavType }],
  }));
  server.registerTool("test_embedded_resource", { description: "Gives a resource." }, () => ({
    content: [resourceContent("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  server.registerTool("test_multiple_content_types", { description: "Gives several kinds of content." }, () => ({
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
    () => textResult("The arguments fit the schema."),
  );
}

function registerTalking(server: McpServer): void {
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
  server.registerTool("test_tool_with_progress", { description: "Tells how far it is." }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await context.mcpReq.notify({ method: "notifications/progress", params });
      }
      if (progress < 100) await delay(pauseMs);
    }
    return textResult("Progress was told three times.");
  });
}

/** Tools of the conformance suite that answer by themselves. */
export function registerContentTools(server: McpServer): void {
  registerContent(server);
  registerTalking(server);
}
