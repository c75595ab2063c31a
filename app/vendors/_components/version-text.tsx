import type { VersionPage } from "#lib/tracking/history/index";
import { Pagination } from "../../_components/pagination";
import styles from "./hunks.module.css";
import { LineKeys } from "./line-keys";

type Props = { text: NonNullable<VersionPage["text"]>; path: string };

/** The lines of a version, in pages. The vendor's text is shown as plain text. */
export function VersionText({ text: { lines, page, pageCount }, path }: Props) {
  const pageHref = (number: number) => (number === 1 ? path : `${path}?lines=${number}`);
  const pages = (label: string) => (
    <Pagination
      label={label}
      previousHref={page > 1 ? pageHref(page - 1) : null}
      nextHref={page < pageCount ? pageHref(page + 1) : null}
    >
      Page {page} of {pageCount}
    </Pagination>
  );
  return (
    <>
      {page > 1 && pages("Lines, top")}
      <LineKeys label="Lines" className={styles.box}>
        <table className={`${styles.table} ${styles.lines}`}>
          <caption className="visually-hidden">Lines</caption>
          <thead className={styles.head}>
            <tr>
              {["Line", "Text"].map((title) => (
                <th key={title} scope="col">
                  <span className="visually-hidden">{title}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ number, text, omittedLength }) => (
              <tr key={number}>
                <td id={`L${number}`} className={styles.number}>
                  <a href={`#L${number}`} aria-label={`Line ${number}`}>
                    {number}
                  </a>
                </td>
                <td className={styles.text}>
                  <div dir="auto">
                    {text}
                    {omittedLength > 0 && (
                      <span dir="ltr" className={styles.note}>
                        {omittedLength.toLocaleString("en")} more characters
                      </span>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </LineKeys>
      {pages("Lines")}
    </>
  );
}
