import { CodeBlock } from "../../../../_components/code-block";
import { providerSnippets } from "../../../../_components/provider-snippets";
import { Tabs } from "../../../../_components/tabs";

/** Code that replays a cassette. */
type Snippet = { id: string; title: string; code: string };

type Address = {
  id: string;
  provider: string;
  origin: string;
  url: string;
  /** Whether it is a later turn: a client that sends one request gets the first turn of its conversation. */
  isLater: boolean;
};

function fetchCode({ url }: Address): string {
  return `const response = await fetch("${url}");
const decoder = new TextDecoder();
for await (const bytes of response.body) {
  process.stdout.write(decoder.decode(bytes, { stream: true }));
}`;
}

function eventSourceCode({ url }: Address, listener: string): string {
  return `// ids=1 adds event ids, so the browser can resume, and stops at the end.
const source = new EventSource("${url}?ids=1");
${listener}`;
}

function pythonCode({ url }: Address, readLine: string): string {
  return `import json
import urllib.request

with urllib.request.urlopen("${url}") as response:
    for line in response:
${readLine}`;
}

/** Returns the code examples of a cassette: by its URL, and by its provider's API. */
export function listSnippets(address: Address): Snippet[] {
  const { id, provider, origin, url, isLater } = address;
  const code = providerSnippets[provider];
  const snippets = [
    { id: "curl", title: "curl", code: `curl -N ${url}` },
    { id: "fetch", title: "TypeScript", code: fetchCode(address) },
  ];
  if (!code) return snippets;
  const name = `cassette:${id}`;
  const key = code.isNamedByKey ? ` -H "x-goog-api-key: ${name}"` : "";
  const request = `curl -N "${origin}${code.path}" -H "content-type: application/json"${key} \\
  -d '${JSON.stringify(code.body(name))}'`;
  return [
    ...snippets,
    ...(code.eventSource === null
      ? []
      : [{ id: "event-source", title: "EventSource", code: eventSourceCode(address, code.eventSource) }]),
    { id: "python", title: "Python", code: pythonCode(address, code.python) },
    ...(isLater
      ? []
      : [
          { id: "sdk", title: code.sdkTitle, code: code.sdk({ id, origin }) },
          { id: "api", title: "API with curl", code: request },
        ]),
  ];
}

/** Code that replays the cassette, in several languages. */
export function CodeSnippets(address: Address) {
  const tabs = listSnippets(address).map(({ id, title, code }) => ({
    id,
    title,
    content: <CodeBlock code={code} label={title} wrap={id === "curl" || id === "api"} />,
  }));
  return <Tabs label="Language" tabs={tabs} />;
}
