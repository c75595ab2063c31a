/** A way to replay a cassette, as code. */
export type Snippet = { id: string; title: string; code: string };

type Address = { id: string; origin: string; url: string };

function fetchCode({ url }: Address): string {
  return `const response = await fetch("${url}");
const decoder = new TextDecoder();
for await (const bytes of response.body) {
  process.stdout.write(decoder.decode(bytes, { stream: true }));
}`;
}

function eventSourceCode({ url }: Address): string {
  return `// ids=1 numbers the events, so that the browser resumes, and stops at the end.
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
  messages: [{ role: "user", content: "Anything: the cassette answers." }],
});
stream.on("text", (text) => process.stdout.write(text));
await stream.finalMessage();`;
}

/** The ways to replay a cassette, the shortest first. */
export function snippetsOf(address: Address): Snippet[] {
  return [
    { id: "curl", title: "curl", code: `curl -N ${address.url}` },
    { id: "fetch", title: "TypeScript", code: fetchCode(address) },
    { id: "event-source", title: "EventSource", code: eventSourceCode(address) },
    { id: "python", title: "Python", code: pythonCode(address) },
    { id: "sdk", title: "Anthropic SDK", code: sdkCode(address) },
  ];
}
