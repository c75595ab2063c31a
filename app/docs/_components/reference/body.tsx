import { highlightCode } from "#lib/discovery/content/index";
import type { ReferenceBody } from "#lib/server/openapi/index";
import { CodeBlock } from "../../../_components/code-block";
import { DataTable } from "../../../_components/data-table";
import { Tokens } from "../tokens";
import { InlineText } from "./inline-text";
import styles from "./operation.module.css";

const columns = [
  { key: "name", title: "Field" },
  { key: "type", title: "Type" },
  { key: "description", title: "Description" },
];

/** The fields of a body, with an example. */
export async function Body({ body, label }: { body: ReferenceBody; label: string }) {
  const { mediaType, type, rows, example } = body;
  const language = mediaType.endsWith("json") ? "json" : "text";
  return (
    <div className={styles.body}>
      <p className={styles.type}>
        <code>{mediaType}</code>, {type}
      </p>
      {rows.length > 0 && (
        <DataTable
          caption={`${label}: fields`}
          stacks
          columns={columns}
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
