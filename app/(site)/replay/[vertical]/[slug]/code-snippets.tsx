import { CodeBlock } from "../../../../_components/code-block";
import { Tabs } from "../../../../_components/tabs";

/** Code that replays a cassette. */
type Snippet = { id: string; title: string; code: string };

type Address = { id: string; origin: string; url: string };

function fetchCode({ url }: Address): string {
  return `const response = await fetch("${url}");
const decoder = new TextDecoder();
for await (const bytes of response.body) {
  process.stdout.write(decoder.decode(bytes, { stream: true }));
}`;
}

function eventSourceCode({ url }: Address): string {
  return `// ids=1 adds event ids, so the browser can resume, and stops at the end.
const source = new EventSource("${url}?ids=1");
source.addEventListener("content_block_delta", ({ data }) => {
  const { delta } = JSON.parse(data);
  if (delta.type === "text_delta") document.body.append(delta.text);
});`;
}

function pythonCode({ url }: Address): string {
  return `import json
import urllib.request

with urllib.request.urlopen("${url}") as response:
    for line in response:
        if line.startswith(b"data: "):
            event = json.loads(line[6:])
            if event["type"] == "content_block_delta":
                print(event["delta"].get("text", ""), end="", flush=True)`;
}

function sdkCode({ id, origin }: Address): string {
  return `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: "none" });
const stream = client.messages.stream({
  model: "cassette:${id}",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Any prompt: the cassette is the answer." }],
});
stream.on("text", (text) => process.stdout.write(text));
await stream.finalMessage();`;
}

function listSnippets(address: Address): Snippet[] {
  return [
    { id: "curl", title: "curl", code: `curl -N ${address.url}` },
    { id: "fetch", title: "TypeScript", code: fetchCode(address) },
    { id: "event-source", title: "EventSource", code: eventSourceCode(address) },
    { id: "python", title: "Python", code: pythonCode(address) },
    { id: "sdk", title: "Anthropic SDK", code: sdkCode(address) },
  ];
}

/** Code that replays the cassette, in several languages. */
export function CodeSnippets(address: Address) {
  const tabs = listSnippets(address).map(({ id, title, code }) => ({
    id,
    title,
    content: <CodeBlock code={code} label={title} wrap={id === "curl"} />,
  }));
  return <Tabs label="Language" tabs={tabs} />;
}
