import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** Longest step of the clock, so that a suspended tab resumes where it stopped. */
const maxStepMs = 250;
/** Interval of React updates while playing; the playhead moves with every frame. */
const updateMs = 66;

export type Playback = {
  /** The position at the last React update. */
  positionMs: number;
  /** The position at the current frame. */
  position: RefObject<number>;
  isPlaying: boolean;
  speed: number;
  play: () => void;
  pause: () => void;
  restart: () => void;
  seek: (positionMs: number) => void;
  setSpeed: (speed: number) => void;
};

type Options = { durationMs: number; initialMs: number; initialSpeed: number };

/** The player's clock, which can be paused, moved and sped up. It stops at the end. */
export function usePlayback({ durationMs, initialMs, initialSpeed }: Options): Playback {
  const [positionMs, setPositionMs] = useState(initialMs);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(initialSpeed);
  const position = useRef(initialMs);

  const seek = useCallback(
    (to: number) => {
      position.current = Math.min(durationMs, Math.max(0, to));
      setPositionMs(position.current);
    },
    [durationMs],
  );

  useEffect(() => {
    if (!isPlaying) return;
    let lastMs: number | undefined;
    let updatedMs = Number.NEGATIVE_INFINITY;
    const tick = (nowMs: number) => {
      const stepMs = Math.min(maxStepMs, nowMs - (lastMs ?? nowMs));
      lastMs = nowMs;
      if (stepMs > 0) position.current = Math.min(durationMs, position.current + stepMs * speed);
      const hasEnded = position.current >= durationMs;
      if (hasEnded || nowMs - updatedMs >= updateMs) {
        updatedMs = nowMs;
        setPositionMs(position.current);
      }
      if (hasEnded) setPlaying(false);
      else frame = requestAnimationFrame(tick);
    };
    let frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, durationMs]);

  const pause = useCallback(() => {
    setPositionMs(position.current);
    setPlaying(false);
  }, []);
  const play = useCallback(() => {
    if (position.current >= durationMs) seek(0);
    setPlaying(true);
  }, [durationMs, seek]);
  const restart = useCallback(() => {
    seek(0);
    setPlaying(true);
  }, [seek]);
  return { positionMs, position, isPlaying, speed, play, pause, restart, seek, setSpeed };
}
