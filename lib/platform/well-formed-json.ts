/**
 * Returns JSON that PostgreSQL accepts: NUL and halves of surrogate pairs, as where a text was cut, become replacement characters,
 * as the halves do in its encoding.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u(?:d[89a-f][\da-f]{2}|0000)/g, (found) =>
    found === "\\\\" ? found : "\\ufffd",
  );
}
