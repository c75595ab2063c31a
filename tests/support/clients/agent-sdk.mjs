/** Runs one prompt with the Claude Agent SDK that is installed beside this file; prints each message as a line of JSON. */
import { query } from "@anthropic-ai/claude-agent-sdk";

const [prompt] = process.argv.slice(2);
for await (const message of query({ prompt, options: { allowedTools: ["Bash", "Read"], cwd: process.cwd() } })) {
  console.log(JSON.stringify(message));
}
