import type { ReactNode } from "react";
import { Button } from "../button";
import styles from "./transport.module.css";
import { formatSpeed, speeds } from "./url-state";
import type { Playback } from "./use-playback";

type Props = {
  playback: Playback;
  /** `4.2 of 11.7 s`. */
  time: string;
  onPause: () => void;
  onSpeed: (speed: number) => void;
  /** Further controls. */
  children?: ReactNode;
};

const icons = {
  play: "M3 1.5v11l10-5.5Z",
  pause: "M3 1.5h3v11H3ZM8 1.5h3v11H8Z",
  restart: "M2 1.5h2v11H2ZM12.5 1.5v11L5 7Z",
} as const;

function Icon({ name }: { name: keyof typeof icons }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 14 14" width="14" height="14" fill="currentColor">
      <path d={icons[name]} />
    </svg>
  );
}

/** The controls for play, pause, restart and speed. */
export function Transport({ playback, time, onPause, onSpeed, children }: Props) {
  const { isPlaying, speed, play, restart } = playback;
  return (
    <div className="row tight scripted">
      <Button variant="primary" className={styles.play} onClick={isPlaying ? onPause : play}>
        <Icon name={isPlaying ? "pause" : "play"} />
        {isPlaying ? "Pause" : "Play"}
      </Button>
      <Button onClick={restart}>
        <Icon name="restart" />
        <span className={styles.word}>Restart</span>
      </Button>
      <label className="row tight caption">
        <span className={styles.word}>Speed</span>
        <select value={formatSpeed(speed)} onChange={({ target }) => onSpeed(speeds[target.selectedIndex] ?? 1)}>
          {speeds.map((value) => (
            <option key={value} value={formatSpeed(value)}>
              {formatSpeed(value)}
              {Number.isFinite(value) ? "×" : ""}
            </option>
          ))}
        </select>
      </label>
      {children}
      <p className={`${styles.time} mono`}>{time}</p>
    </div>
  );
}
