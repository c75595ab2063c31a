import type { ReferenceAnswer, ReferenceOperation } from "#lib/server/openapi/index";
import { Body } from "./body";
import { InlineText } from "./inline-text";
import styles from "./operation.module.css";

function Headers({ headers }: Pick<ReferenceAnswer, "headers">) {
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
export function Responses({ operation: { answers, summary } }: { operation: ReferenceOperation }) {
  return answers.map((response) => (
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
      <Headers headers={response.headers} />
    </details>
  ));
}
