import { highlightCode } from "#lib/discovery/content/index";
import type { ReferenceOperation, ReferenceParameter } from "#lib/server/openapi/index";
import { Badge } from "../../../_components/badge";
import { CodeBlock } from "../../../_components/code-block";
import { DataTable } from "../../../_components/data-table";
import { Tokens } from "../tokens";
import { Body } from "./body";
import { InlineText } from "./inline-text";
import styles from "./operation.module.css";
import { Answers } from "./responses";
import { TryIt } from "./try-it";

/** What a caller needs, in words. */
function accessOf({ auth, minimumTier, isLimited }: ReferenceOperation): string[] {
  const key = { none: "no key", optional: "key optional", required: "key needed" }[auth];
  return [
    minimumTier ? `key of the ${minimumTier} tier or a higher one` : key,
    isLimited ? "counts towards the daily limit" : "not limited",
  ];
}

function describeParameter({ type, bounds, description }: ReferenceParameter) {
  return {
    type: <code>{type}</code>,
    meaning: (
      <span>
        <InlineText text={description} />
        {bounds && <span className="muted"> ({bounds})</span>}
      </span>
    ),
  };
}

function Parameters({ parameters }: Pick<ReferenceOperation, "parameters">) {
  if (parameters.length === 0) return null;
  return (
    <div className={styles.part}>
      <h3>Parameters</h3>
      <DataTable
        caption="Parameters"
        stacks
        columns={[
          { key: "name", title: "Name" },
          { key: "place", title: "In" },
          { key: "type", title: "Type" },
          { key: "meaning", title: "Meaning" },
        ]}
        rows={parameters.map((parameter) => ({
          key: `${parameter.place} ${parameter.name}`,
          cells: {
            name: (
              <>
                <code>{parameter.name}</code>
                {parameter.isRequired && <span className={styles.required}> required</span>}
              </>
            ),
            place: parameter.place,
            ...describeParameter(parameter),
          },
        }))}
      />
    </div>
  );
}

function Errors({ errors }: Pick<ReferenceOperation, "errors">) {
  return (
    <details className={styles.part}>
      <summary>
        <h3>
          Errors <span className={styles.answer}>{[...new Set(errors.map(({ status }) => status))].join(", ")}</span>
        </h3>
      </summary>
      <DataTable
        caption="Errors"
        stacks
        columns={[
          { key: "status", title: "Status" },
          { key: "code", title: "Code" },
          { key: "text", title: "When" },
        ]}
        rows={errors.map(({ status, code, text }) => ({
          key: `${status} ${code}`,
          cells: { status, code: code ? <code>{code}</code> : "in the body", text: <InlineText text={text} /> },
        }))}
      />
    </details>
  );
}

/** One operation of the API: what it does, what it takes, what it answers. */
export async function Operation({ operation }: { operation: ReferenceOperation }) {
  const { id, method, path, summary, description, curl } = operation;
  return (
    <section id={id} aria-labelledby={`${id}-title`} className={styles.operation}>
      <header className={styles.head}>
        <h2 id={`${id}-title`}>{summary}</h2>
        <p className={styles.line}>
          <span className={styles.method}>{method}</span> <code>{path}</code>
        </p>
        <p>
          <InlineText text={description} />
        </p>
        <p className={styles.access}>
          {accessOf(operation).map((text) => (
            <Badge key={text}>{text}</Badge>
          ))}
        </p>
      </header>
      <CodeBlock code={curl} label={`curl command: ${summary}`} wrap>
        <Tokens tokens={await highlightCode(curl, "bash")} />
      </CodeBlock>
      {operation.canBeTried && <TryIt id={id} path={path} summary={summary} parameters={operation.parameters} />}
      <Parameters {...operation} />
      {operation.body && (
        <div className={styles.part}>
          <h3>Body</h3>
          <Body body={operation.body} label={`Body: ${summary}`} />
        </div>
      )}
      <Answers operation={operation} />
      <Errors {...operation} />
    </section>
  );
}
