import { question } from "#tests/support/conversation-protocols";

type Client = { send(command: object): Promise<{ stream: AsyncIterable<Event> }> };
type Event = { contentBlockDelta?: { delta: { text: string } } };
type Package = Record<string, new (options: object) => object>;

/** Asks Amazon Bedrock's client, which only the extended tests install, for a streamed answer; returns its text. */
export async function runBedrock(modelId: string): Promise<string> {
  const load = (name: string): Promise<Package> => import(name);
  const { BedrockRuntimeClient, ConverseStreamCommand } = await load("@aws-sdk/client-bedrock-runtime");
  const { NodeHttpHandler } = await load("@smithy/node-http-handler");
  if (!BedrockRuntimeClient || !ConverseStreamCommand || !NodeHttpHandler) throw new Error("A class is missing.");
  const client = new BedrockRuntimeClient({ requestHandler: new NodeHttpHandler({}) }) as Client;
  const messages = [{ role: "user", content: [{ text: question }] }];
  const { stream } = await client.send(new ConverseStreamCommand({ modelId, messages }));
  let text = "";
  for await (const event of stream) text += event.contentBlockDelta?.delta.text ?? "";
  return text;
}
