import { memo, type ReactNode, useLayoutEffect, useRef } from "react";
import { scrollBox } from "../scroll-box";
import styles from "./answer-pane.module.css";
import type { LoadedRecording, ReadyRecording } from "./use-recording";

/** Nearer to the end than this, the pane follows what streams in. */
const followPx = 80;

const Folded = memo(function Folded({ recording, count }: { recording: ReadyRecording; count: number }) {
  const { Answer, foldAnswer, events } = recording;
  return <Answer parts={foldAnswer(events, count)} />;
});

type Props = {
  recording: LoadedRecording;
  /** The whole answer as it came with the page is what is to be seen. */
  showsWhole: boolean;
  eventCount: number;
  /** Nothing is left to come. */
  isWhole: boolean;
  isPlaying: boolean;
  /** The whole answer is not to be seen first: it is about to stream in. */
  isWaiting: boolean;
  whole: ReactNode;
};

/** The answer so far, in a box that follows its end while it plays. */
export function AnswerPane(props: Props) {
  const { recording, showsWhole, eventCount, isWhole, isPlaying, isWaiting, whole } = props;
  const pane = useRef<HTMLDivElement>(null);
  const seen = useRef({ height: 0, eventCount: 0 });
  const isReady = recording.phase === "ready";
  useLayoutEffect(() => {
    const box = pane.current;
    if (!box || !isReady) return;
    const before = seen.current;
    const wasNearEnd = before.height - box.scrollTop - box.clientHeight < followPx;
    const isMoved = eventCount !== before.eventCount && !(isWhole && before.eventCount === 0);
    if (isMoved && (wasNearEnd || !isPlaying)) box.scrollTop = box.scrollHeight;
    seen.current = { height: box.scrollHeight, eventCount };
  }, [eventCount, isPlaying, isReady, isWhole]);
  const dress = `${styles.pane} ${isWaiting ? styles.waiting : ""} ${isPlaying ? styles.playing : ""}`;
  return (
    <div ref={pane} {...scrollBox("Answer")} className={dress}>
      <h2 className="visually-hidden">Answer</h2>
      {isReady && !showsWhole ? <Folded recording={recording} count={eventCount} /> : whole}
    </div>
  );
}
