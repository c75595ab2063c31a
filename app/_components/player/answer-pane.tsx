import { memo, type ReactNode, useLayoutEffect, useRef } from "react";
import { scrollBox } from "../scroll-box";
import styles from "./answer-pane.module.css";
import type { LoadedRecording, ReadyRecording } from "./use-recording";

/** If the pane is scrolled to within this distance of its end, it follows the stream. */
const followPx = 80;

const PartialAnswer = memo(function PartialAnswer({ recording, count }: { recording: ReadyRecording; count: number }) {
  const { Answer, foldAnswer, events, provider } = recording;
  return <Answer parts={foldAnswer(provider, events, count)} />;
});

type Props = {
  recording: LoadedRecording;
  /** Whether the server-rendered complete answer is shown. */
  showsCompleteAnswer: boolean;
  eventCount: number;
  /** Whether the playhead is at the end. */
  isComplete: boolean;
  isPlaying: boolean;
  /** Whether the answer is about to stream in, so that the complete answer must not be visible first. */
  isWaiting: boolean;
  completeAnswer: ReactNode;
};

/** The answer so far, in a box that follows the end while it plays. */
export function AnswerPane(props: Props) {
  const { recording, showsCompleteAnswer, eventCount, isComplete, isPlaying, isWaiting, completeAnswer } = props;
  const pane = useRef<HTMLDivElement>(null);
  const previous = useRef({ height: 0, eventCount: 0 });
  const isReady = recording.phase === "ready";
  useLayoutEffect(() => {
    const box = pane.current;
    if (!box || !isReady) return;
    const before = previous.current;
    const wasNearEnd = before.height - box.scrollTop - box.clientHeight < followPx;
    const hasMoved = eventCount !== before.eventCount && !(isComplete && before.eventCount === 0);
    if (hasMoved && (wasNearEnd || !isPlaying)) box.scrollTop = box.scrollHeight;
    previous.current = { height: box.scrollHeight, eventCount };
  }, [eventCount, isPlaying, isReady, isComplete]);
  const classes = `${styles.pane} ${isWaiting ? styles.waiting : ""} ${isPlaying ? styles.playing : ""}`;
  return (
    <div ref={pane} {...scrollBox("Answer")} className={classes}>
      <h2 className="visually-hidden">Answer</h2>
      {isReady && !showsCompleteAnswer ? <PartialAnswer recording={recording} count={eventCount} /> : completeAnswer}
    </div>
  );
}
