import { createHash } from "node:crypto";
import { AppError } from "#lib/platform/errors";
import { processSingleton } from "#lib/platform/process-singleton";
import { countInPrimary, isServerWorker } from "#lib/platform/server-workers";
import { parseSequence, sequencesFile, unknownCassette } from "#lib/replay/cassettes/index";
import { createCounts } from "../../platform/test-counts.mjs";
import type { Choice, DropInContext } from "./choose-cassette";

type Header = (name: string) => string | null;
type Headed = { header: Header };

const maxTestNameLength = 200;

const counts = () => processSingleton("replay-test-counts", createCounts);

/** Counts a request of a test, and returns its number: 0 for the first. The processes that serve one port count together. */
export async function countInTest(test: string, subject: string): Promise<number> {
  // A name and a sequence can have thousands of characters; their hash bounds the memory of all counts.
  const key = createHash("sha256")
    .update(JSON.stringify([test, subject]))
    .digest("base64");
  return isServerWorker ? countInPrimary(key) : counts()(key);
}

/** Returns the name of the test that a request belongs to; null if it names none. Throws AppError bad_request. */
function testOf(header: Header): string | null {
  const test = header("x-replay-test");
  if (test !== null && (test.length === 0 || test.length > maxTestNameLength)) {
    throw new AppError("bad_request", `The header x-replay-test must have 1 to ${maxTestNameLength} characters.`);
  }
  return test;
}

export const sequenceHeader = "x-replay-sequence";
/** How many names the error for an unknown sequence lists. */
const knownNameCount = 3;

/** Returns the items of `x-replay-sequence`, or those that the sequence file has under its name `@<name>`. Throws AppError. */
async function sequenceItems({ catalogue }: DropInContext, sequence: string): Promise<readonly string[]> {
  if (!sequence.startsWith("@")) return parseSequence(sequence, sequenceHeader);
  const sequences = await catalogue.sequences();
  const items = sequences.get(sequence.slice(1));
  if (items) return items;
  const known = [...sequences.keys()].slice(0, knownNameCount).join(", ");
  const rest = sequences.size > knownNameCount ? ` and ${sequences.size - knownNameCount} more` : "";
  const advice = known ? `It has ${known}${rest}.` : "The cassette store has no such file, or it is empty.";
  throw new AppError("not_found", `${sequencesFile} has no sequence "${sequence.slice(1, 101)}". ${advice}`);
}

/** Checks that a sequence names cassettes of the store, before its first item is played. Throws AppError bad_request. */
async function checkCassettes({ catalogue }: DropInContext, items: readonly string[]): Promise<void> {
  const ids = items.filter((item) => item.includes("/"));
  if (ids.length === 0) return;
  const index = await catalogue.matchIndex();
  const unknown = ids.find((id) => !index.find(id));
  if (unknown !== undefined) {
    throw new AppError("bad_request", unknownCassette(index.ids(), unknown, sequenceHeader).message);
  }
}

/** Returns the item of `x-replay-sequence` for this request of the test; null without the header. Throws AppError. */
export async function sequenceItem(context: DropInContext, { header }: Headed): Promise<string | null> {
  const sequence = header(sequenceHeader);
  if (sequence === null) return null;
  const test = testOf(header);
  if (test === null)
    throw new AppError("bad_request", `${sequenceHeader} needs the header x-replay-test, a name of your own.`);
  const items = await sequenceItems(context, sequence);
  await checkCassettes(context, items);
  const item = items[await countInTest(test, `sequence ${sequence}`)];
  if (item) return item;
  const count = items.length === 1 ? "1 item, which was" : `${items.length} items, which were all`;
  const advice = "Another test name starts it again.";
  throw new AppError("not_found", `The sequence of test ${test} has ${count} played. ${advice}`);
}

/**
 * Returns the id of the recording to play: the chosen one, or, if a test sends a request that was recorded several times,
 * the next of these recordings. Throws AppError not_found after the last one.
 */
export async function nextOfTest({ id, repeats = [] }: Choice, { header }: Headed): Promise<string> {
  const test = testOf(header);
  if (test === null || repeats.length < 2) return id;
  const next = repeats[await countInTest(test, `request ${id}`)];
  if (next !== undefined) return next;
  throw new AppError("not_found", `Test ${test} played all ${repeats.length} recordings of this request.`);
}
