import styles from "./keyboard-shortcuts.module.css";

const keys = [
  { keys: ["Space"], text: "play, pause" },
  { keys: ["←", "→"], text: "one second" },
  { keys: [",", "."], text: "one chunk" },
  { keys: ["Home", "End"], text: "start, end" },
  { keys: ["<", ">"], text: "speed" },
] as const;

/** What the player's keys do. */
export function Keys() {
  return (
    <details className={styles.keys}>
      <summary>Keys and address</summary>
      <dl>
        {keys.map(({ keys: names, text }) => (
          <div key={text}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p>
        Home and End work while the tape has the focus, the others also while nothing has. The address keeps the moment
        and the speed: <code>?t=4.2&amp;speed=2</code>. Speeds are 0.25, 0.5, 1, 2, 4, 8, 16 and max;{" "}
        <code>autoplay=0</code> keeps the player still.
      </p>
    </details>
  );
}
