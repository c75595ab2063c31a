import { type Content, createPartFromFunctionResponse, type GoogleGenAI } from "@google/genai";
import { geminiTools, question, runTool } from "#tests/support/conversation-protocols";
import { collect } from "./collect";

/** Runs the conversation with the tools; returns what the model said. */
export async function runGemini({ models }: GoogleGenAI, isStreamed: boolean): Promise<Content[]> {
  const contents: Content[] = [{ role: "user", parts: [{ text: question }] }];
  for (;;) {
    const request = { model: "gemini-any", contents: structuredClone(contents), config: { tools: geminiTools } };
    const answers = isStreamed
      ? await collect(await models.generateContentStream(request))
      : [await models.generateContent(request)];
    const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    contents.push({ role: "model", parts });
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    if (calls.length === 0) return contents.filter(({ role }) => role === "model");
    const results = calls.map(({ id, name = "", args = {} }) =>
      createPartFromFunctionResponse(id ?? "", name, { output: runTool(name, args) }),
    );
    contents.push({ role: "user", parts: results });
  }
}
