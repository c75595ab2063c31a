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

/** What an operation answers when it succeeds. Fields and example fold: the list of operations stays readable. */
export function Answers({ operation: { answers, summary } }: { operation: ReferenceOperation }) {
  return answers.map((answer) => (
    <details key={answer.status} className={styles.part}>
      <summary>
        <h3>
          {answer.status}{" "}
          <span className={styles.answer}>
            <InlineText text={answer.description} />
          </span>
        </h3>
      </summary>
      {answer.body && <Body body={answer.body} label={`${answer.status}: ${summary}`} />}
      <Headers headers={answer.headers} />
    </details>
  ));
}
