/**
 * Returns JSON that PostgreSQL accepts: halves of surrogate pairs, as where a text was cut, become replacement characters,
 * as they do in its encoding.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\ud[89a-f][\da-f]{2}/g, (found) =>
    found === "\\\\" ? found : "\\ufffd",
  );
}
