import { highlightCode } from "#lib/discovery/content/index";
import type {
  ReferenceBody,
  ReferenceOperation,
  ReferenceParameter,
  ReferenceResponse,
} from "#lib/server/openapi/index";
import { Badge } from "../../../_components/badge";
import { CodeBlock } from "../../../_components/code-block";
import { type Column, DataTable } from "../../../_components/data-table";
import { InlineText, Tokens } from "../inline-text";
import styles from "./operation.module.css";
import { TryIt } from "./try-it";

const fieldColumns: readonly Column<ReferenceBody["rows"][number]>[] = [
  {
    title: "Field",
    cell: ({ name, isRequired }) => (
      <>
        <code>{name}</code>
        {!isRequired && <span className="muted"> optional</span>}
      </>
    ),
  },
  { title: "Type", cell: ({ type }) => <code>{type}</code> },
  { title: "Description", cell: ({ description }) => <InlineText text={description} /> },
];

/** The fields of a body, with an example. */
async function Body({ body, label }: { body: ReferenceBody; label: string }) {
  const { mediaType, type, rows, example } = body;
  const language = mediaType.endsWith("json") ? "json" : "text";
  return (
    <div className={`${styles.body} stack`}>
      <p className="muted">
        <code>{mediaType}</code>, {type}
      </p>
      {rows.length > 0 && (
        <DataTable caption={`${label}: fields`} columns={fieldColumns} items={rows} keyOf={({ name }) => name} stacks />
      )}
      {example !== "" && (
        <CodeBlock code={example} label={`example, ${label}`}>
          <Tokens tokens={await highlightCode(example, language)} />
        </CodeBlock>
      )}
    </div>
  );
}

/** Describes who can call an operation and whether it is limited. */
function describeAccess({ auth, minimumTier, isLimited, isServedAtLimit }: ReferenceOperation): string[] {
  const key = { none: "no key", optional: "key optional", required: "key required" }[auth];
  return [
    minimumTier ? `key of tier ${minimumTier} or higher` : key,
    isLimited ? `counts towards the daily limit${isServedAtLimit ? ", and is answered at it too" : ""}` : "no limit",
  ];
}

const parameterColumns: readonly Column<ReferenceParameter>[] = [
  {
    title: "Name",
    cell: ({ name, isRequired }) => (
      <>
        <code>{name}</code>
        {isRequired && <span className={styles.required}> required</span>}
      </>
    ),
  },
  { title: "In", cell: ({ place }) => place },
  { title: "Type", cell: ({ type }) => <code>{type}</code> },
  {
    title: "Description",
    cell: ({ description, bounds }) => (
      <>
        <InlineText text={description} />
        {bounds && <span className="muted"> ({bounds})</span>}
      </>
    ),
  },
];

const errorColumns: readonly Column<ReferenceOperation["errors"][number]>[] = [
  { title: "Status", cell: ({ status }) => status },
  { title: "Code", cell: ({ code }) => (code ? <code>{code}</code> : "in the body") },
  { title: "When", cell: ({ text }) => <InlineText text={text} /> },
];

function ResponseHeaders({ headers }: Pick<ReferenceResponse, "headers">) {
  return (
    <dl className={`${styles.headers} caption`}>
      {headers.map(({ name, description }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            <InlineText text={description} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The successful responses of an operation. Fields and examples are collapsed. */
function Responses({ operation: { responses, summary } }: { operation: ReferenceOperation }) {
  return responses.map((response) => (
    <details key={response.status} className={styles.part}>
      <summary>
        <h3>
          {response.status}{" "}
          <span className="muted">
            <InlineText text={response.description} />
          </span>
        </h3>
      </summary>
      {response.body && <Body body={response.body} label={`${response.status}: ${summary}`} />}
      <ResponseHeaders headers={response.headers} />
    </details>
  ));
}

/** One operation of the API: description, parameters, responses and errors. */
export async function Operation({ operation }: { operation: ReferenceOperation }) {
  const { id, method, path, summary, description, curl, parameters, errors } = operation;
  return (
    <section id={id} aria-labelledby={`${id}-title`} className={`${styles.operation} stack`}>
      <header className="stack tight text">
        <h2 id={`${id}-title`}>{summary}</h2>
        <p className={styles.line}>
          <span className={`${styles.method} mono`}>{method}</span> <code>{path}</code>
        </p>
        <p>
          <InlineText text={description} />
        </p>
        <p className="row tight">
          {describeAccess(operation).map((text) => (
            <Badge key={text}>{text}</Badge>
          ))}
        </p>
      </header>
      <CodeBlock code={curl} label={`curl command: ${summary}`} wrap>
        <Tokens tokens={await highlightCode(curl, "bash")} />
      </CodeBlock>
      {operation.canBeTried && <TryIt id={id} path={path} summary={summary} parameters={parameters} />}
      {parameters.length > 0 && (
        <div className="stack tight">
          <h3>Parameters</h3>
          <DataTable
            caption="Parameters"
            columns={parameterColumns}
            items={parameters}
            keyOf={({ place, name }) => `${place} ${name}`}
            stacks
          />
        </div>
      )}
      {operation.body && (
        <div className="stack tight">
          <h3>Body</h3>
          <Body body={operation.body} label={`Body: ${summary}`} />
        </div>
      )}
      <Responses operation={operation} />
      <details className={styles.part}>
        <summary>
          <h3>
            Errors <span className="muted">{[...new Set(errors.map(({ status }) => status))].join(", ")}</span>
          </h3>
        </summary>
        <DataTable
          caption="Errors"
          columns={errorColumns}
          items={errors}
          keyOf={({ status, code }) => `${status} ${code}`}
          stacks
        />
      </details>
    </section>
  );
}
