import type { ElicitRequestFormParams, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { textResult } from "./samples";

type RequestedSchema = ElicitRequestFormParams["requestedSchema"];

const person: RequestedSchema = {
  type: "object",
  properties: {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  },
  required: ["username", "email"],
};

const withDefaults: RequestedSchema = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
};

const titled = (ordinals: readonly string[], noun: string) =>
  ordinals.map((ordinal, index) => ({ const: `value${index + 1}`, title: `${ordinal} ${noun}` }));
const ordinals = ["First", "Second", "Third"];
const options = ["option1", "option2", "option3"];

const withChoices: RequestedSchema = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: options },
    titledSingle: { type: "string", oneOf: titled(ordinals, "Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: options } },
    titledMulti: { type: "array", items: { anyOf: titled(ordinals, "Choice") } },
  },
};

/** Registers tools that send requests to the client while they run, as revisions up to 2025-11-25 do. */
export function registerClientRequestTools(server: McpServer): void {
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model.", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, context) => {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: prompt } }];
      const { content } = await context.mcpReq.requestSampling({ messages, maxTokens: 100 });
      const [first] = [content].flat();
      return textResult(`LLM response: ${first?.type === "text" ? first.text : "no text"}`);
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks the client's user.", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const { action, content } = await context.mcpReq.elicitInput({ message, requestedSchema: person });
      return textResult(`User response: action: ${action}, content: ${JSON.stringify(content ?? {})}`);
    },
  );
  for (const [name, requestedSchema] of [
    ["test_elicitation_sep1034_defaults", withDefaults],
    ["test_elicitation_sep1330_enums", withChoices],
  ] as const) {
    server.registerTool(name, { description: "Asks the client's user to fill in a form." }, async (context) => {
      const { action, content } = await context.mcpReq.elicitInput({
        message: "Please fill this in.",
        requestedSchema,
      });
      return textResult(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
    });
  }
}
