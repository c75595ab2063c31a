import styles from "./skeleton.module.css";

const rows = ["first", "second", "third", "fourth", "fifth", "sixth"];

/** What stands in a `loading.tsx`: the place of a page that is on its way. */
export function Skeleton() {
  return (
    <div className={styles.skeleton}>
      <p role="status" className="visually-hidden">
        Loading
      </p>
      <div className={styles.title} />
      {rows.map((row) => (
        <div key={row} className={styles.row} />
      ))}
    </div>
  );
}
