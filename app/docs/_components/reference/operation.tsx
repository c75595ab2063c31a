import { highlightCode } from "#lib/discovery/content/index";
import type {
  ReferenceBody,
  ReferenceOperation,
  ReferenceParameter,
  ReferenceResponse,
} from "#lib/server/openapi/index";
import { Badge } from "../../../_components/badge";
import { CodeBlock } from "../../../_components/code-block";
import { DataTable } from "../../../_components/data-table";
import { Tokens } from "../tokens";
import { InlineText } from "./inline-text";
import styles from "./operation.module.css";
import { TryIt } from "./try-it";

const fieldColumns = [
  { key: "name", title: "Field" },
  { key: "type", title: "Type" },
  { key: "description", title: "Description" },
];

/** The fields of a body, with an example. */
async function Body({ body, label }: { body: ReferenceBody; label: string }) {
  const { mediaType, type, rows, example } = body;
  const language = mediaType.endsWith("json") ? "json" : "text";
  return (
    <div className={styles.body}>
      <p className="muted">
        <code>{mediaType}</code>, {type}
      </p>
      {rows.length > 0 && (
        <DataTable
          caption={`${label}: fields`}
          stacks
          columns={fieldColumns}
          rows={rows.map((row) => ({
            key: row.name,
            cells: {
              name: (
                <>
                  <code className={styles.field}>{row.name}</code>
                  {!row.isRequired && <span className="muted"> optional</span>}
                </>
              ),
              type: <code className={styles.field}>{row.type}</code>,
              description: <InlineText text={row.description} />,
            },
          }))}
        />
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
function describeAccess({ auth, minimumTier, isLimited }: ReferenceOperation): string[] {
  const key = { none: "no key", optional: "key optional", required: "key required" }[auth];
  return [
    minimumTier ? `key of tier ${minimumTier} or higher` : key,
    isLimited ? "counts towards the daily limit" : "no limit",
  ];
}

function describeParameter({ type, bounds, description: text }: ReferenceParameter) {
  return {
    type: <code>{type}</code>,
    description: (
      <span>
        <InlineText text={text} />
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
          { key: "description", title: "Description" },
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
          Errors <span className={styles.response}>{[...new Set(errors.map(({ status }) => status))].join(", ")}</span>
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

function ResponseHeaders({ headers }: Pick<ReferenceResponse, "headers">) {
  return (
    <dl className={styles.headers}>
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
          <span className={styles.response}>
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
          {describeAccess(operation).map((text) => (
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
      <Responses operation={operation} />
      <Errors {...operation} />
    </section>
  );
}
