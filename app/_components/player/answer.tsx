import { StatusBadge } from "../badge";
import styles from "./answer.module.css";
import type { AnswerPart, Citation } from "./fold-answer";
import { Markdown } from "./markdown";
import { asObject } from "./player-event";

function Citations({ citations }: { citations: readonly Citation[] }) {
  if (citations.length === 0) return null;
  return (
    <ol className={`${styles.citations} caption`} aria-label="Citations">
      {citations.map(({ number, quote, source, url }) => (
        <li key={number}>
          <span className={styles.number}>{number}</span>
          <span>
            {quote && `“${quote}” `}
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

type FoundPage = { title: string; url: string };

function foundPages(content: unknown): FoundPage[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((value) => {
    const { title, url } = asObject(value) ?? {};
    return typeof title === "string" && typeof url === "string" ? [{ title, url }] : [];
  });
}

/** The result of a server tool: the pages of a search, anything else as JSON. */
function ToolResult({ name, content }: { name: string; content: unknown }) {
  const pages = foundPages(content);
  return (
    <div className={styles.tool}>
      <p className={`${styles.label} caption`}>
        Result <code>{name}</code>
      </p>
      {pages.length > 0 ? (
        <ul className={`${styles.pages} plain-list`}>
          {pages.map(({ title, url }) => (
            <li key={url}>
              {title} <span className={`${styles.address} caption`}>{url}</span>
            </li>
          ))}
        </ul>
      ) : (
        <pre className={styles.code}>{JSON.stringify(content, null, 2)}</pre>
      )}
    </div>
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
          <p className={`${styles.label} caption`}>Thinking</p>
          <div className={styles.thought}>
            <Markdown text={part.isRedacted ? "This thought is encrypted by the provider." : part.text} />
          </div>
        </div>
      );
    case "refusal":
      return (
        <div className={styles.thinking}>
          <p className={`${styles.label} caption`}>Refuses</p>
          <div className={styles.thought}>
            <Markdown text={part.text} />
          </div>
        </div>
      );
    case "tool":
      return (
        <div className={styles.tool}>
          <p className={`${styles.label} caption`}>
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
          <p className={`${styles.label} caption`}>Error in the stream</p>
          <p>
            <code>{part.type}</code> {part.message}
          </p>
        </div>
      );
    case "end":
      return (
        <p className={`${styles.end} caption`}>
          <StatusBadge status={part.reason} />
          {part.outputTokens !== null && <span>{part.outputTokens} output tokens, as reported in the stream</span>}
          {part.explanation && <span className={styles.explanation}>{part.explanation}</span>}
        </p>
      );
  }
}

/** A model's answer: text, thinking, tool calls, citations and errors. */
export function Answer({ parts }: { parts: readonly AnswerPart[] }) {
  return (
    <div className={styles.answer}>
      {parts.map((part) => (
        <Part key={part.key} part={part} />
      ))}
    </div>
  );
}
