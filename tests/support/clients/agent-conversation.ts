import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Json, protocols, type Turn } from "#tests/support/conversation-protocols";
import { type Sealed, sealConversation } from "#tests/support/seal-conversation";

/** What the conversation of a coding agent asks, and how it ends. */
export const agentPrompt = "Which greeting does notes.txt contain?";
export const agentText = "notes.txt says: good morning from Lisbon ☔ – 旅行.";
/** What the agent's tools find. */
export const notes = "good morning from Lisbon ☔";

export type Workspace = { folder: string; cassettes: Sealed[]; turns: Turn[] };

/** Writes a file to a folder, and returns a conversation whose tools read it: with Bash, then with Bash and Read in parallel. */
export function agentWorkspace(name: string, folder: string): Workspace {
  const file = join(folder, "notes.txt");
  writeFileSync(file, `${notes}\n`);
  const bash = (id: string, command: string) => ({ id, name: "Bash", input: { command, description: "Reads notes" } });
  const turns: Turn[] = [
    { text: "I read the file. ", calls: [bash("toolu_agent_1", "cat notes.txt")] },
    {
      text: "",
      calls: [
        bash("toolu_agent_2", "head -1 notes.txt"),
        { id: "toolu_agent_3", name: "Read", input: { file_path: file } },
      ],
    },
    { text: agentText, calls: [] },
  ];
  const runTool = () => "recorded elsewhere";
  const { cassettes } = sealConversation(name, protocols.anthropic, { prompt: agentPrompt, turns, runTool });
  return { folder, cassettes, turns };
}

/** A block of a message, as Claude Code prints it. */
type Block = { type: string; text?: string; id?: string; name?: string; input?: Json; content?: unknown };
export type AgentMessage = { type: string; message?: { content: Block[] }; result?: string; is_error?: boolean };

/** Returns what the agent's model said, block by block. */
export function saidBlocks(messages: readonly AgentMessage[]): Block[] {
  return messages
    .filter(({ type }) => type === "assistant")
    .flatMap(({ message }) => message?.content ?? [])
    .map(({ type, text, id, name, input }) =>
      type === "text" ? { type, text } : { type, id, name, input },
    ) as Block[];
}

/** Returns the blocks of a conversation as recorded. */
export function recordedBlocks(turns: readonly Turn[]): Block[] {
  return turns.flatMap(({ text, calls }) => [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ]);
}

/** Returns the results of the agent's tools as text. */
export function toolResults(messages: readonly AgentMessage[]): string[] {
  return messages
    .filter(({ type }) => type === "user")
    .flatMap(({ message }) => message?.content ?? [])
    .flatMap(({ type, content }) => (type === "tool_result" ? [JSON.stringify(content)] : []));
}

/** Starts a proxy that refuses every connection, and lists where they were to go. */
export async function refuseOutbound(): Promise<{ url: string; targets: string[]; stop(): void }> {
  const targets: string[] = [];
  const server = createServer((request, response) => {
    targets.push(request.url ?? "");
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    targets.push(request.url ?? "");
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, targets, stop };
}
