import { CodeBlock } from "../../../../_components/code-block";
import { Tabs } from "../../../../_components/tabs";
import { snippetsOf } from "./snippets";

/** The cassette in the languages that clients are written in. */
export function Code(address: { id: string; origin: string; url: string }) {
  const tabs = snippetsOf(address).map(({ id, title, code }) => ({
    id,
    title,
    content: <CodeBlock code={code} label={title} wrap={id === "curl"} />,
  }));
  return <Tabs label="Language" tabs={tabs} />;
}
