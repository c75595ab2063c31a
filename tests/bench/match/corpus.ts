import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { protocols, question, runTool, turnsOf } from "../../support/conversation-protocols";
import { type Sealed, sealConversation } from "../../support/seal-conversation";

const bundled = fileURLToPath(new URL("../../../content/cassettes/", import.meta.url));
/** Cassettes of the project. A corpus has these, the conversation, and generated ones. */
const bundledCount = 20;

/** A conversation of three turns, with what each turn asks. */
export const conversation = sealConversation("bench", protocols.anthropic, {
  prompt: question,
  turns: turnsOf("toolu_bench"),
  runTool,
});

const topics = [
  "invoice",
  "contract",
  "index",
  "budget",
  "deployment",
  "policy",
  "meeting",
  "refund",
  "parser",
  "lease",
];
const verbs = ["Summarize", "Review", "Explain", "Compare", "Rewrite", "Check", "Translate", "Plan"];

/** Returns a conversation of one turn, whose prompt no other has. */
function generated(number: number): Sealed {
  const [topic, verb] = [topics[number % topics.length], verbs[number % verbs.length]];
  const prompt = `${verb} the ${topic} number ${number} of the ${topics[(number * 7) % topics.length]} archive.`;
  const turns = [{ text: `The ${topic} ${number} is in order.`, calls: [] }];
  const [cassette] = sealConversation(`bench-${number}`, protocols.anthropic, { prompt, turns, runTool }).cassettes;
  return cassette as Sealed;
}

export type Corpus = { folder: string; count: number; remove(): Promise<void> };

/** Writes a corpus of this many cassettes: those of the project, the conversation, and generated ones. */
export async function writeCorpus(count: number): Promise<Corpus> {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-match-"));
  await cp(bundled, folder, { recursive: true, filter: (path) => !path.endsWith(".yaml") });
  const generatedCount = count - bundledCount - conversation.cassettes.length;
  const write = async (cassette: Sealed) => {
    const file = join(folder, `${cassette.id}.json`);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, serializeCassette(cassette));
  };
  for (const cassette of conversation.cassettes) await write(cassette);
  for (let number = 0; number < generatedCount; number++) await write(generated(number));
  return { folder, count, remove: () => rm(folder, { recursive: true }) };
}
