import styles from "./keyboard-shortcuts.module.css";

const shortcuts = [
  { keys: ["Space"], text: "play or pause" },
  { keys: ["←", "→"], text: "back or forward one second" },
  { keys: [",", "."], text: "back or forward one chunk" },
  { keys: ["Home", "End"], text: "start or end" },
  { keys: ["<", ">"], text: "slower or faster" },
] as const;

/** The player's keyboard shortcuts and URL parameters. */
export function KeyboardShortcuts() {
  return (
    <details className={styles.shortcuts}>
      <summary>Keyboard shortcuts and URL parameters</summary>
      <dl>
        {shortcuts.map(({ keys: names, text }) => (
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
        Home and End work while the timeline has the focus; the others also work while nothing has the focus. The URL
        keeps the position and the speed: <code>?t=4.2&amp;speed=2</code>. Speeds are 0.25, 0.5, 1, 2, 4, 8, 16 and max.
        With <code>autoplay=0</code> the player doesn’t start by itself.
      </p>
    </details>
  );
}
