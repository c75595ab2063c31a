import { StatusBadge } from "../badge";
import styles from "./answer.module.css";
import type { AnswerPart, Citation } from "./fold-answer";
import { Markdown } from "./markdown";
import { ToolResult } from "./tool-result";

function Citations({ citations }: { citations: readonly Citation[] }) {
  if (citations.length === 0) return null;
  return (
    <ol className={styles.citations} aria-label="Citations">
      {citations.map(({ number, quote, source, url }) => (
        <li key={number}>
          <span className={styles.number}>{number}</span>
          <span>
            “{quote}”{" "}
            <cite>
              {url && /^https?:\/\//i.test(url) ? (
                <a href={url} rel="nofollow noreferrer">
                  {source}
                </a>
              ) : (
                source
              )}
            </cite>
          </span>
        </li>
      ))}
    </ol>
  );
}

function Part({ part }: { part: AnswerPart }) {
  switch (part.kind) {
    case "text":
      return (
        <div className={styles.text}>
          <Markdown text={part.markdown} />
          <Citations citations={part.citations} />
        </div>
      );
    case "thinking":
      return (
        <div className={styles.thinking}>
          <p className={styles.label}>Thinking</p>
          <p className={styles.thought}>{part.isRedacted ? "The provider keeps this thought encrypted." : part.text}</p>
        </div>
      );
    case "tool":
      return (
        <div className={styles.tool}>
          <p className={styles.label}>
            {part.isServer ? "The provider calls" : "Calls"} <code>{part.name}</code>
            {part.isComplete ? "" : " …"}
          </p>
          <pre className={styles.code}>{part.input}</pre>
        </div>
      );
    case "result":
      return <ToolResult name={part.name} content={part.content} />;
    case "error":
      return (
        <div className={styles.error}>
          <p className={styles.label}>Error in the stream</p>
          <p>
            <code>{part.type}</code> {part.message}
          </p>
        </div>
      );
    case "end":
      return (
        <p className={styles.end}>
          <StatusBadge status={part.reason} />
          {part.outputTokens !== null && <span>{part.outputTokens} output tokens, by the stream’s own count</span>}
          {part.explanation && <span className={styles.explanation}>{part.explanation}</span>}
        </p>
      );
  }
}

/** A model's answer: text, thinking, tool calls, citations and errors, each in its own dress. */
export function Answer({ parts }: { parts: readonly AnswerPart[] }) {
  return (
    <div className={styles.answer}>
      {parts.map((part) => (
        <Part key={part.key} part={part} />
      ))}
    </div>
  );
}
