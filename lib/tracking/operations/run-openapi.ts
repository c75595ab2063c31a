import { blockedScore } from "#lib/contract/blocked-content";
import { defaultWorkerLimits, runInWorker } from "#lib/platform/run-worker";
import { scoreSecurity } from "#lib/tracking/security/index";
import { compareOperations, type OperationChange } from "./compare-operations";
import { operationText } from "./describe-operations";
import { isNode, OpenApiError } from "./document";
import { normalizeDocument } from "./read-document";

const entry = { name: "openapi-worker", moduleUrl: import.meta.url };

/** From this many characters on, work is done in a thread: the time that it takes grows with the square of the length. */
const minThreadLength = 32 * 1024;

/** Two documents that were read, with their URL, and the domain of the vendor. */
type Versions = { before: string; after: string; url: string; domain: string };

/** Work on documents: to read one, or to compare two. */
export type OpenApiTask = { text: string } | Versions;
type OpenApiResult = { text: string } | { changes: OperationChange[] } | { error: string };

function compareVersions({ before, after, url, domain }: Versions): OperationChange[] {
  const toVersion = (text: string) => {
    const document: unknown = JSON.parse(text);
    return { document: isNode(document) ? document : {}, url };
  };
  const changes = compareOperations(toVersion(before), toVersion(after));
  const { score } = scoreSecurity(changes.map(operationText).join("\n"), { domain });
  return score < blockedScore ? changes : [];
}

/** Does the work in the calling thread. */
export function runTask(task: OpenApiTask): OpenApiResult {
  try {
    return "text" in task ? { text: normalizeDocument(task.text) } : { changes: compareVersions(task) };
  } catch (error) {
    if (error instanceof OpenApiError) return { error: error.message };
    throw error;
  }
}

async function run(task: OpenApiTask, limits = defaultWorkerLimits) {
  const length = "text" in task ? task.text.length : task.before.length + task.after.length;
  const result = length < minThreadLength ? runTask(task) : await runInWorker<OpenApiResult>(entry, task, limits);
  if ("error" in result) throw new OpenApiError(result.error);
  return result;
}

/**
 * Whether a text claims to be an OpenAPI 3 document: JSON or YAML with that field, not a page with an example of one. It may still
 * be one that cannot be read.
 */
export function isOpenApi(text: string): boolean {
  if (/^\s*\{/.test(text)) return /"openapi"\s*:\s*"3\.\d/.test(text);
  const field = /^["']?openapi["']?\s*:\s*["']?3\.\d/m.exec(text);
  return field !== null && !/^\s*(?:`{3}|~{3})/m.test(text.slice(0, field.index));
}

/** Returns a document as `normalizeDocument` does. Throws OpenApiError and WorkerError. */
export async function readOpenApi(text: string, limits = defaultWorkerLimits): Promise<string> {
  const result = await run({ text }, limits);
  return "text" in result ? result.text : "";
}

/**
 * Returns what changed of the operations of two documents that were read. Nothing, if the texts of the changes attack their
 * readers. The score of the documents does not matter: changes repeat names and values alone, and the documents of models' vendors
 * describe prompts. Throws OpenApiError and WorkerError.
 */
export async function compareOpenApi(versions: Versions, limits = defaultWorkerLimits): Promise<OperationChange[]> {
  const result = await run(versions, limits);
  return "changes" in result ? result.changes : [];
}
