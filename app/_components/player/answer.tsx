import { StatusBadge } from "../badge";
import styles from "./answer.module.css";
import type { AnswerPart, Citation } from "./fold-answer";
import { Markdown, renderLink } from "./markdown";
import { asObject } from "./player-event";

function Citations({ citations }: { citations: readonly Citation[] }) {
  if (citations.length === 0) return null;
  return (
    <ol className={`${styles.citations} stack tight caption plain-list`} aria-label="Citations" data-citations>
      {citations.map(({ number, quote, source, url }) => (
        <li key={number}>
          <span className={styles.number}>{number}</span>
          <span>
            {quote && `“${quote}” `}
            <cite>{renderLink(url, source)}</cite>
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
    <div className={`${styles.tool} stack tight`}>
      <p className="caption">
        Result <code>{name}</code>
      </p>
      {pages.length > 0 ? (
        <ul className="text plain-list">
          {pages.map(({ title, url }) => (
            <li key={url}>
              {title} <span className="mono muted">{url}</span>
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
    case "refusal": {
      const isRedacted = part.kind === "thinking" && part.isRedacted;
      return (
        <div className={styles.thinking}>
          <p className="caption">{part.kind === "thinking" ? "Thinking" : "Refuses"}</p>
          <div className={`${styles.thought} text`}>
            <Markdown text={isRedacted ? "This thought is encrypted by the provider." : part.text} />
          </div>
        </div>
      );
    }
    case "tool":
      return (
        <div className={`${styles.tool} stack tight`}>
          <p className="caption">
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
          <p className="caption">Error in the stream</p>
          <p>
            <code>{part.type}</code> {part.message}
          </p>
        </div>
      );
    case "end":
      return (
        <p className="row caption">
          <StatusBadge status={part.reason} />
          {part.outputTokens !== null && <span>{part.outputTokens} output tokens, as reported in the stream</span>}
          {part.explanation && <span className="text">{part.explanation}</span>}
        </p>
      );
  }
}

/** A model's answer: text, thinking, tool calls, citations and errors. */
export function Answer({ parts }: { parts: readonly AnswerPart[] }) {
  return (
    <div className={`${styles.answer} stack`}>
      {parts.map((part) => (
        <Part key={part.key} part={part} />
      ))}
    </div>
  );
}
