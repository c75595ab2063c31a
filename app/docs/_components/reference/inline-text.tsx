import { Fragment } from "react";

/** Renders a description from an endpoint declaration, in which backticks mark code. */
export function InlineText({ text }: { text: string }) {
  let offset = 0;
  return (
    <span>
      {text.split("`").map((part, index) => {
        offset += part.length + 1;
        return index % 2 === 1 ? <code key={offset}>{part}</code> : <Fragment key={offset}>{part}</Fragment>;
      })}
    </span>
  );
}
