import type { AnswerPart } from "#lib/replay/providers/index";

function partText(part: AnswerPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "thinking":
      return `[thinking] ${part.isRedacted ? "encrypted by the provider" : part.text.trim()}`;
    case "refusal":
      return `[refusal] ${part.text}`;
    case "tool":
      return `[calls ${part.name}] ${part.input}`;
    case "result":
      return `[result ${part.name}] ${JSON.stringify(part.content)}`;
  }
}

/** Returns an answer for the terminal: its parts, then the error that ended it. */
export function answerText(parts: readonly AnswerPart[], error: Record<string, unknown> | null): string {
  const texts: string[] = [];
  let last: AnswerPart["kind"] | undefined;
  for (const part of parts) {
    // A text with citations is divided into several parts.
    if (part.kind === "text" && last === "text") texts.push(`${texts.pop()}${part.text}`);
    else texts.push(partText(part));
    last = part.kind;
  }
  return [...texts, ...(error ? [`[error] ${JSON.stringify(error)}`] : [])].join("\n\n");
}
